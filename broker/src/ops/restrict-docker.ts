/**
 * On which container, image, volume or network a grant holds. The engine's own list says what was meant; that object is judged, and
 * its id (the exact name of a volume) is what the operation gets. Nothing is asked of the engine before the grant has a list at all.
 */
import { simpleGlob } from '@steward/shared/config/match.ts';
import { checkContainerIdentifier, resolveContainer, shortId } from '@steward/shared/engine/containers.ts';
import { resolveObject, type ObjectKind } from '@steward/shared/engine/objects.ts';
import { StewardError, type ErrorKey } from '@steward/shared/errors.ts';
import type { ImmediateRestriction, Restricted, Restriction, RestrictionCall } from '@steward/shared/catalogue/row.ts';

/** docker/manage and docker/logs. */
export const byContainer: Restriction = {
  name: 'containers',
  says: 'name, full id or short id of the container that the engine lists matches `containers`',
  decide: (call) => decideContainer(call, 'container_restricted'),
};

/** docker/exec. */
export const byContainerAndCommand: Restriction = {
  name: 'containers',
  says: 'as `containers`; where the grant has `commands`, the command begins with the elements of one of them',
  decide(call) {
    checkBeforeAsking(call);
    const { commands } = call.grant;
    const { command } = call.args as { readonly command: readonly string[] };
    if (commands !== undefined && !commands.some((prefix) => prefix.every((word, at) => word === command[at]))) {
      throw new StewardError('exec_restricted');
    }
    return decideContainer(call, 'container_restricted');
  },
};

/** Reads of `docker-container://`; the list arrives as the `containers` of the grant. */
export const byContainerResource: Restriction = {
  name: 'resource names',
  says: 'name, full id or short id of the container that the engine lists matches an entry of the resource list',
  decide: (call) => decideContainer(call, 'container_resource_restricted'),
};

/** Reads of the other docker resources. */
export function byObjectResource(kind: ObjectKind): Restriction {
  return {
    name: 'resource names',
    says: `a name or id of the ${kind} that the engine lists matches an entry of the resource list`,
    async decide({ args, grant, user, tool, engine, signal }) {
      const { object, name, aliases } = await resolveObject(await engine(), kind, (args as { name: string }).name, signal);
      const entry = covering(grant.containers, aliases);
      if (entry === undefined) {
        throw new StewardError('docker_resource_not_granted', { user, uri: tool, scheme: `docker-${kind}://` });
      }
      return { object: `${kind} ${name}`, rule: `resource list: ${entry}`, args: { ...args, name: object } };
    },
  };
}

/** docker/prune. */
export const byPruneTarget: ImmediateRestriction = {
  name: 'prune',
  says: 'the target is in `prune`',
  decide({ args, grant: { prune } }) {
    const { target } = args as { readonly target: string };
    if (prune === undefined) throw new StewardError('prune_missing');
    if (!prune.includes(target)) throw new StewardError('prune_restricted', { target, granted: prune.join(', ') || 'none' });
    return { object: `unused ${target}`, rule: `prune: ${target}` };
  },
};

/** What needs no engine to be refused. */
function checkBeforeAsking({ args, grant }: RestrictionCall): string {
  const { container } = args as { readonly container: string };
  checkContainerIdentifier(container);
  if (grant.containers === undefined) throw new StewardError('containers_missing');
  return container;
}

async function decideContainer(call: RestrictionCall, refusal: ErrorKey): Promise<Restricted> {
  const typed = checkBeforeAsking(call);
  const { args, grant, engine, signal } = call;
  const { id, name } = await resolveContainer(await engine(), typed, signal);
  const entry = covering(grant.containers, [name, id, shortId(id)]);
  if (entry === undefined) throw new StewardError(refusal, { name, id: shortId(id) });
  return { object: `container ${name} (${id})`, rule: `containers: ${entry}`, args: { ...args, container: id } };
}

function covering(globs: readonly string[] | undefined, names: readonly string[]): string | undefined {
  return globs?.find((glob) => names.some((name) => simpleGlob(glob, name)));
}
