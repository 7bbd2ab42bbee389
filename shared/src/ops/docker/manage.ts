/**
 * Starts, stops, restarts, kills, pauses, unpauses or removes one container. A running container is never removed by force, and
 * volumes stay. Trusted with the resolved id alone.
 */
import { finishing } from '../../engine/finishing.ts';
import type { EngineRoute } from '../../engine/routes.ts';
import { StewardError } from '../../errors.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';
import { CONTAINER, inspectContainer, type Inspected } from './common.ts';

export const CONTAINER_ACTIONS = ['start', 'stop', 'restart', 'kill', 'pause', 'unpause', 'remove'] as const;
type Action = (typeof CONTAINER_ACTIONS)[number];

const args = {
  type: 'object',
  properties: {
    container: CONTAINER,
    action: { type: 'string', enum: CONTAINER_ACTIONS },
    dry_run: { type: 'boolean' },
  },
  required: ['container', 'action'],
  additionalProperties: false,
} as const;

const result = {
  type: 'object',
  properties: {
    /** Name. */
    container: { type: 'string' },
    /** 12 digits. */
    id: { type: 'string' },
    action: { type: 'string', enum: CONTAINER_ACTIONS },
    result: { type: 'string', enum: ['ok', 'unchanged'] },
    dry_run: { type: 'boolean' },
    /** What it was before; for the text alone. */
    state: { type: 'string' },
  },
  required: ['container', 'id', 'action', 'result', 'state'],
  additionalProperties: false,
} as const;
export type ManageResult = Static<typeof result>;

interface Deed {
  readonly route: EngineRoute;
  readonly query?: Readonly<Record<string, string>>;
}

/** Seconds that a container gets to end by itself. */
const GRACE = { t: '10' };

const DEEDS: Readonly<Record<Action, Deed>> = {
  start: { route: 'POST /containers/{container}/start' },
  stop: { route: 'POST /containers/{container}/stop', query: GRACE },
  restart: { route: 'POST /containers/{container}/restart', query: GRACE },
  kill: { route: 'POST /containers/{container}/kill' },
  pause: { route: 'POST /containers/{container}/pause' },
  unpause: { route: 'POST /containers/{container}/unpause' },
  remove: { route: 'DELETE /containers/{container}', query: { force: 'false', v: 'false' } },
};

export const dockerManage = operation<Static<typeof args>, ManageResult>({
  name: 'docker/manage',
  args,
  kind: 'value',
  result,
  where: 'loop',
  async run({ container, action, dry_run = false }, context) {
    const found = await inspectContainer(container, context);
    const about = { container: found.name, id: found.short, action, state: found.state };
    if (dry_run) return { ...about, result: expected(found, action), dry_run };
    context.begin();
    const outcome = await finishing(context.signal, (signal) => perform(found, action, signal));
    return { ...about, result: outcome };
  },
});

async function perform({ engine, id }: Inspected, action: Action, signal: AbortSignal): Promise<'ok' | 'unchanged'> {
  try {
    return await engine.act({ ...DEEDS[action], object: id, signal });
  } catch (error) {
    if (action !== 'remove' || !(error instanceof StewardError) || error.key !== 'docker_conflict') throw error;
    throw new StewardError('container_running', { text: error.params['text'] ?? '' });
  }
}

/** What the engine would do, as far as the container's state tells. Throws what it would refuse. */
function expected({ state, id }: Inspected, action: Action): 'ok' | 'unchanged' {
  const runs = state === 'running' || state === 'paused' || state === 'restarting';
  if (action === 'remove' && runs) throw new StewardError('container_running', { text: `the container ${id} is ${state}` });
  if (action === 'start') return state === 'running' ? 'unchanged' : 'ok';
  return action === 'stop' && !runs ? 'unchanged' : 'ok';
}
