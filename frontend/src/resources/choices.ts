/**
 * What there is to choose from for the placeholders of templates. All of it is what the caller could list anyway: read unprivileged,
 * or as root only where the caller's own grants permit the listing.
 */
import { disksPerformance } from '@steward/shared/ops/disks/performance.ts';
import { dockerContainers } from '@steward/shared/ops/docker/containers.ts';
import { dockerImages } from '@steward/shared/ops/docker/images.ts';
import { dockerNetworks } from '@steward/shared/ops/docker/networks.ts';
import { dockerVolumes } from '@steward/shared/ops/docker/volumes.ts';
import { networkInterfaces } from '@steward/shared/ops/network/interfaces.ts';
import { processesList } from '@steward/shared/ops/processes/list.ts';
import type { Operation } from '@steward/shared/ops/operation.ts';
import { servicesList } from '@steward/shared/ops/services/list.ts';
import type { Outcome } from '../tools/tool.ts';
import type { ResourceContext } from './resource.ts';

export async function interfaceNames(context: ResourceContext): Promise<readonly string[]> {
  const { result } = await context.runLocal(networkInterfaces, {});
  return result.map(({ name }) => name);
}

export async function serviceNames(context: ResourceContext): Promise<readonly string[]> {
  return mapped(await context.runLocal(servicesList, {}), ({ name }) => name);
}

export async function diskNames(context: ResourceContext): Promise<readonly string[]> {
  return mapped(await context.runLocal(disksPerformance, {}), ({ device_name: name }) => name);
}

export async function processIds(context: ResourceContext): Promise<readonly string[]> {
  return mapped(await context.runLocal(processesList, {}), ({ pid }) => String(pid));
}

export function containerNames(context: ResourceContext): Promise<readonly string[]> {
  return engineObjects(context, dockerContainers, { all: true }, ({ name }) => [name]);
}

/** Their tags; an image without one has none to offer. */
export function imageTags(context: ResourceContext): Promise<readonly string[]> {
  return engineObjects(context, dockerImages, {}, ({ repo_tags: tags }) => tags.filter((tag) => !tag.includes('<none>')));
}

export function volumeNames(context: ResourceContext): Promise<readonly string[]> {
  return engineObjects(context, dockerVolumes, {}, ({ name }) => [name]);
}

export function networkNames(context: ResourceContext): Promise<readonly string[]> {
  return engineObjects(context, dockerNetworks, {}, ({ name }) => [name]);
}

/** None without a grant for the listing: the engine shows everything or nothing. */
async function engineObjects<Args, Item>(
  context: ResourceContext,
  listing: Operation<Args, object, Item>,
  args: Args,
  names: (item: Item) => readonly string[],
): Promise<readonly string[]> {
  if (context.grants.tools[listing.name]?.allowed !== true) return [];
  return (await mapped(await context.runRoot(listing, args), names)).flat();
}

/** The caller's own name, and the accounts that a grant names. */
export function crontabUsers({ user, grants }: ResourceContext): Promise<readonly string[]> {
  const named = Object.entries(grants.tools['cron/manage']?.users ?? {}).filter(([name, { view }]) => name !== '*' && view);
  return Promise.resolve([user, ...named.map(([name]) => name)]);
}

async function mapped<Item, Value>(outcome: Outcome<unknown, Item>, value: (item: Item) => Value): Promise<readonly Value[]> {
  const values: Value[] = [];
  for await (const item of outcome.records()) values.push(value(item));
  return values;
}
