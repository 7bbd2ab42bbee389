/** Lists containers. Every one of them, whatever the grant says about acting on them. Changes nothing. */
import { simpleGlob } from '../../config/match.ts';
import { requireEngine } from '../../engine/access.ts';
import { listContainers, namesOf, refOf, shortId } from '../../engine/containers.ts';
import { strings, text, type Members } from '../../engine/json.ts';
import { portsText } from '../../engine/ports.ts';
import { newestFirst, utcTime } from '../../engine/times.ts';
import { inTurns } from '../../engine/turns.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';
import { counted, named, word, words } from './schemas.ts';

export const CONTAINER_STATES = ['created', 'restarting', 'running', 'removing', 'paused', 'exited', 'dead'] as const;

const args = {
  type: 'object',
  properties: {
    all: { type: 'boolean' },
    pattern: { type: 'string', maxLength: 255, description: 'glob on name' },
    state: { type: 'string', enum: CONTAINER_STATES, description: 'implies all' },
    limit: { type: 'integer', minimum: 0, description: '0=none' },
  },
  required: [],
  additionalProperties: false,
} as const;

const record = {
  type: 'object',
  properties: {
    name: word,
    names: words,
    id: word,
    full_id: word,
    image: word,
    image_id: word,
    command: word,
    state: word,
    status: word,
    created: word,
    ports: word,
    labels: named,
  },
  required: ['name', 'names', 'id', 'full_id', 'image', 'image_id', 'command', 'state', 'status', 'created', 'ports', 'labels'],
  additionalProperties: false,
} as const;
export type ContainerRecord = Static<typeof record>;

export const dockerContainers = operation<Static<typeof args>, Static<typeof counted>, ContainerRecord>({
  name: 'docker/containers',
  args,
  kind: 'records',
  result: counted,
  record,
  where: 'loop',
  async run({ all = false, pattern, state, limit = 0 }, context) {
    const engine = await requireEngine(context);
    const query = all || state !== undefined ? { all: 'true' } : undefined;
    const found = await listContainers(engine, context.signal, query ?? {});
    const chosen = found
      .filter((container) => state === undefined || container['State'] === state)
      .filter((container) => pattern === undefined || simpleGlob(pattern, refOf(container).name))
      .sort(newestFirst)
      .slice(0, limit === 0 ? undefined : limit);
    await inTurns(chosen, (container) => context.emit(recordOf(container)));
    return { count: chosen.length };
  },
});

function recordOf(container: Members): ContainerRecord {
  const names = namesOf(container);
  const id = text(container['Id']);
  return {
    name: names[0] ?? '',
    names,
    id: shortId(id),
    full_id: id,
    image: text(container['Image']),
    image_id: shortId(text(container['ImageID'])),
    command: text(container['Command']),
    state: text(container['State']),
    status: text(container['Status']),
    created: utcTime(container['Created']),
    ports: portsText(container),
    labels: strings(container['Labels']),
  };
}
