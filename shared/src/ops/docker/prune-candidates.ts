/** What the engine has that nothing uses, kind by kind. Changes nothing. */
import { listContainers } from '../../engine/containers.ts';
import type { Engine } from '../../engine/engine.ts';
import { items, members, text } from '../../engine/json.ts';
import { listImages, listNetworks, listVolumes } from '../../engine/objects.ts';
import { networkDocument } from './networks.ts';
import type { PruneTarget } from './prune.ts';

/** Minor API version from which the engine itself knows which volumes are anonymous. */
export const LABELLED_VOLUMES = 42;

const ANONYMOUS = /^[0-9a-f]{64}$/;
const ANONYMOUS_LABEL = 'com.docker.volume.anonymous';
/** Networks that the engine makes itself. */
const PREDEFINED = ['bridge', 'host', 'none', 'ingress', 'podman'];
/** States of containers that are removed; asked of the list, because not every engine knows every state. */
const STOPPED = ['created', 'exited', 'dead'];
/** Kinds of build cache that are removed only when everything is. */
const KEPT_CACHE = ['internal', 'frontend'];

/** Ids, or names of volumes and networks. */
export function unused(engine: Engine, target: PruneTarget, signal: AbortSignal): Promise<string[]> {
  return FINDERS[target](engine, signal);
}

type Finder = (engine: Engine, signal: AbortSignal) => Promise<string[]>;

const FINDERS: Readonly<Record<PruneTarget, Finder>> = {
  async containers(engine, signal) {
    const all = await listContainers(engine, signal);
    return all.filter(({ State }) => STOPPED.includes(text(State))).map((container) => text(container['Id']));
  },
  async images(engine, signal) {
    const used = new Set((await listContainers(engine, signal)).map((container) => text(container['ImageID'])));
    const dangling = await listImages(engine, signal, { filters: '{"dangling":["true"]}' });
    return dangling.map((image) => text(image['Id'])).filter((id) => !used.has(id));
  },
  volumes: anonymousVolumes,
  async networks(engine, signal) {
    const names: string[] = [];
    for (const network of await listNetworks(engine, signal)) {
      const name = text(network['Name']);
      if (PREDEFINED.includes(name) || network['Ingress'] === true) continue;
      const document = await networkDocument(engine, text(network['Id']), signal);
      if (document !== undefined && Object.keys(members(document['Containers'])).length === 0) names.push(name);
    }
    return names;
  },
  async 'build-cache'(engine, signal) {
    const query: Record<string, string> = engine.minor >= LABELLED_VOLUMES ? { type: 'build-cache' } : {};
    const cache = members(await engine.read({ route: 'GET /system/df', query, signal }))['BuildCache'];
    return items(cache)
      .map(members)
      .filter(({ InUse, Shared, Type }) => InUse !== true && Shared !== true && !KEPT_CACHE.includes(text(Type)))
      .map((record) => text(record['ID']));
  },
};

/** Volumes that nothing uses and nobody named. */
export async function anonymousVolumes(engine: Engine, signal: AbortSignal): Promise<string[]> {
  const dangling = await listVolumes(engine, signal, { filters: '{"dangling":["true"]}' });
  const isAnonymous = (volume: (typeof dangling)[number]): boolean =>
    engine.minor < LABELLED_VOLUMES ? true : Object.hasOwn(members(volume['Labels']), ANONYMOUS_LABEL);
  return dangling
    .filter(isAnonymous)
    .map((volume) => text(volume['Name']))
    .filter((name) => ANONYMOUS.test(name));
}
