/**
 * Removes one kind of unused object: stopped containers, dangling images, anonymous volumes, unused networks or build cache. What is
 * unused is the engine's to say; nothing that has a name or is in use is ever named here.
 */
import { requireEngine } from '../../engine/access.ts';
import type { Engine } from '../../engine/engine.ts';
import { finishing } from '../../engine/finishing.ts';
import { integer, items, members, text, texts, type Members } from '../../engine/json.ts';
import type { EngineRoute } from '../../engine/routes.ts';
import { StewardError } from '../../errors.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';
import { anonymousVolumes, LABELLED_VOLUMES, unused } from './prune-candidates.ts';

export const PRUNE_TARGETS = ['containers', 'images', 'volumes', 'networks', 'build-cache'] as const;
export type PruneTarget = (typeof PRUNE_TARGETS)[number];

const args = {
  type: 'object',
  properties: { target: { type: 'string', enum: PRUNE_TARGETS }, dry_run: { type: 'boolean' } },
  required: ['target'],
  additionalProperties: false,
} as const;

const result = {
  type: 'object',
  properties: {
    target: { type: 'string', enum: PRUNE_TARGETS },
    deleted: { type: 'array', items: { type: 'string' } },
    /** Without entries that only say which name an image lost. */
    count: { type: 'integer', minimum: 0 },
    space_reclaimed_bytes: { type: 'integer', minimum: 0 },
    dry_run: { type: 'boolean' },
  },
  required: ['target', 'deleted', 'count'],
  additionalProperties: false,
} as const;
export type PruneResult = Static<typeof result>;

/** Objects in one answer; what else was removed is counted. */
const MAX_NAMED = 2000;
const UNTAGGED = 'untagged ';

export const dockerPrune = operation<Static<typeof args>, PruneResult>({
  name: 'docker/prune',
  args,
  kind: 'value',
  result,
  where: 'loop',
  async run({ target, dry_run = false }, context) {
    const engine = await requireEngine(context);
    if (dry_run) return { ...told(target, await unused(engine, target, context.signal)), dry_run };
    context.begin();
    return finishing(context.signal, (signal) => prune(engine, target, signal));
  },
});

interface Way {
  readonly route: EngineRoute;
  readonly query?: Readonly<Record<string, string>>;
  /** The answer's member that names what was removed; undefined where nothing is ever measured. */
  readonly list: string;
}

const WAYS: Readonly<Record<PruneTarget, Way>> = {
  containers: { route: 'POST /containers/prune', list: 'ContainersDeleted' },
  images: { route: 'POST /images/prune', query: { filters: '{"dangling":["true"]}' }, list: 'ImagesDeleted' },
  volumes: { route: 'POST /volumes/prune', list: 'VolumesDeleted' },
  networks: { route: 'POST /networks/prune', list: 'NetworksDeleted' },
  'build-cache': { route: 'POST /build/prune', list: 'CachesDeleted' },
};

async function prune(engine: Engine, target: PruneTarget, signal: AbortSignal): Promise<PruneResult> {
  // Older engines take every unused volume, also those with a name.
  if (target === 'volumes' && engine.minor < LABELLED_VOLUMES) return told(target, await removeVolumes(engine, signal));
  const { route, query = {}, list } = WAYS[target];
  const answer = members(await engine.read({ route, query, signal }));
  const deleted = target === 'images' ? items(answer[list]).map(members).map(imageEntry) : texts(answer[list]);
  const space = target === 'networks' ? {} : { space_reclaimed_bytes: Math.max(0, integer(answer['SpaceReclaimed'])) };
  return { ...told(target, deleted), ...space };
}

/** One by one; a volume that is used again or gone meanwhile is left out. */
async function removeVolumes(engine: Engine, signal: AbortSignal): Promise<string[]> {
  const removed: string[] = [];
  for (const object of await anonymousVolumes(engine, signal)) {
    try {
      await engine.act({ route: 'DELETE /volumes/{volume}', object, signal });
      removed.push(object);
    } catch (error) {
      if (!(error instanceof StewardError) || (error.key !== 'docker_conflict' && error.key !== 'docker_not_found')) throw error;
    }
  }
  return removed;
}

function imageEntry(entry: Members): string {
  const deleted = text(entry['Deleted']);
  return deleted === '' ? `${UNTAGGED}${text(entry['Untagged'])}` : deleted;
}

function told(target: PruneTarget, deleted: readonly string[]): PruneResult {
  const count = deleted.filter((entry) => !entry.startsWith(UNTAGGED)).length;
  return { target, deleted: deleted.slice(0, MAX_NAMED), count };
}
