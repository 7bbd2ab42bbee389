/** Lists volumes and the containers that use them. Changes nothing. */
import { simpleGlob } from '../../config/match.ts';
import { requireEngine } from '../../engine/access.ts';
import { listContainers, refOf } from '../../engine/containers.ts';
import { items, members, strings, text, type Members } from '../../engine/json.ts';
import { listVolumes } from '../../engine/objects.ts';
import { utcTime } from '../../engine/times.ts';
import { inTurns } from '../../engine/turns.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';
import { counted, named, word, words } from './schemas.ts';

const args = {
  type: 'object',
  properties: { pattern: { type: 'string', maxLength: 255, description: 'glob on name' } },
  required: [],
  additionalProperties: false,
} as const;

const record = {
  type: 'object',
  properties: {
    name: word,
    driver: word,
    mountpoint: word,
    created: word,
    scope: word,
    labels: named,
    options: named,
    in_use_by: words,
  },
  required: ['name', 'driver', 'mountpoint', 'created', 'scope', 'labels', 'options', 'in_use_by'],
  additionalProperties: false,
} as const;
export type VolumeRecord = Static<typeof record>;

export const dockerVolumes = operation<Static<typeof args>, Static<typeof counted>, VolumeRecord>({
  name: 'docker/volumes',
  args,
  kind: 'records',
  result: counted,
  record,
  where: 'loop',
  async run({ pattern }, context) {
    const engine = await requireEngine(context);
    const { signal } = context;
    const found = await listVolumes(engine, signal);
    const users = usersOf(await listContainers(engine, signal));
    const chosen = found
      .filter((volume) => pattern === undefined || simpleGlob(pattern, text(volume['Name'])))
      .sort((a, b) => (text(a['Name']) < text(b['Name']) ? -1 : 1));
    await inTurns(chosen, (volume) => context.emit(recordOf(volume, users.get(text(volume['Name'])) ?? [])));
    return { count: chosen.length };
  },
});

/** Names of containers by the volume that they mount. */
function usersOf(containers: readonly Members[]): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const container of containers) {
    const { name } = refOf(container);
    for (const mount of items(container['Mounts']).map(members)) {
      if (mount['Type'] !== 'volume') continue;
      const volume = text(mount['Name']);
      users.set(volume, [...new Set([...(users.get(volume) ?? []), name])].sort());
    }
  }
  return users;
}

function recordOf(volume: Members, users: string[]): VolumeRecord {
  return {
    name: text(volume['Name']),
    driver: text(volume['Driver']),
    mountpoint: text(volume['Mountpoint']),
    created: utcTime(volume['CreatedAt']),
    scope: text(volume['Scope']),
    labels: strings(volume['Labels']),
    options: strings(volume['Options']),
    in_use_by: users,
  };
}
