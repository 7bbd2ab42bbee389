/**
 * Runs one command in a running container and reports what it wrote and how it ended: without a shell, a terminal or stdin. Trusted
 * with the resolved id alone; the argv has been judged by the broker. The engine cannot stop a command that was begun.
 */
import { abortError } from '../../abort.ts';
import { flag, integer, members, text } from '../../engine/json.ts';
import { demultiplexed } from '../../engine/streams.ts';
import { StewardError } from '../../errors.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';
import { bytesRead, watched } from '../progress.ts';
import { CONTAINER, inspectContainer, type Inspected } from './common.ts';
import { relayOutput, type OutputRecord } from './exec-output.ts';

/** A name or uid, with or without a group. */
const USER = /^(?:[A-Za-z_][A-Za-z0-9_.-]{0,63}|\d{1,10})(?::(?:[A-Za-z_][A-Za-z0-9_.-]{0,63}|\d{1,10}))?$/;

const word = { type: 'string', maxLength: 16_384, pattern: '^[^\\u0000]*$' } as const;
const args = {
  type: 'object',
  properties: {
    container: CONTAINER,
    command: { type: 'array', items: word, minItems: 1, maxItems: 1024, description: 'argv, at least one element' },
    user: { type: 'string', maxLength: 255, description: 'name or uid[:gid]' },
    working_dir: { type: 'string', maxLength: 4095, description: 'absolute' },
    timeout: { type: 'integer', minimum: 1, default: 30, description: 'seconds, at most 300' },
    dry_run: { type: 'boolean' },
  },
  required: ['container', 'command'],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const result = {
  type: 'object',
  properties: {
    container: { type: 'string' },
    id: { type: 'string' },
    /** Null while it runs. */
    exit_code: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    running: { type: 'boolean' },
    truncated: { type: 'boolean' },
    dry_run: { type: 'boolean' },
    /** Of the container; for the text alone. */
    state: { type: 'string' },
  },
  required: ['container', 'id', 'exit_code', 'running', 'state'],
  additionalProperties: false,
} as const;
export type ExecResult = Static<typeof result>;

const record = {
  type: 'object',
  properties: { stream: { type: 'string', enum: ['stdout', 'stderr'] }, text: { type: 'string' } },
  required: ['stream', 'text'],
  additionalProperties: false,
} as const;

export const dockerExec = operation<Args, ExecResult, OutputRecord>({
  name: 'docker/exec',
  args,
  kind: 'records',
  result,
  record,
  where: 'loop',
  async run(asked, context) {
    const { user, working_dir: directory, dry_run = false } = asked;
    if (user !== undefined && !USER.test(user)) throw new StewardError('exec_user', { user });
    if (directory !== undefined && (!directory.startsWith('/') || directory.includes('\0'))) {
      throw new StewardError('exec_directory', { path: directory });
    }
    const found = await inspectContainer(asked.container, context);
    const about = { container: found.name, id: found.short, state: found.state };
    if (dry_run) return { ...about, exit_code: null, running: false, dry_run };
    context.begin();
    try {
      return { ...about, ...(await execute(found, asked, context)) };
    } catch (error) {
      throw isTimeout(context.signal) ? timedOut(context.signal, found) : error;
    }
  },
});

type Ended = Pick<ExecResult, 'exit_code' | 'running' | 'truncated'>;

async function execute(found: Inspected, asked: Args, context: OpContext<OutputRecord>): Promise<Ended> {
  const { engine } = found;
  const { signal, progress } = context;
  const made = await engine.read({
    route: 'POST /containers/{container}/exec',
    object: found.id,
    body: {
      AttachStdin: false,
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
      Cmd: asked.command,
      ...(asked.user === undefined ? {} : { User: asked.user }),
      ...(asked.working_dir === undefined ? {} : { WorkingDir: asked.working_dir }),
    },
    signal,
  });
  const exec = text(members(made)['Id']);
  const body = { Detach: false, Tty: false };
  const output = await engine.stream({ route: 'POST /exec/{exec}/start', object: exec, body, signal });
  const told = watched(output, progress && bytesRead(progress));
  const truncated = await relayOutput(demultiplexed(told), (one) => context.emit(one));
  return { ...(await endOf(found, exec, signal)), ...(truncated ? { truncated } : {}) };
}

/** The output may end a moment before the engine knows how the command did. */
const ASK_AGAIN_MS = [10, 20, 50, 100, 200, 500];

async function endOf({ engine }: Inspected, exec: string, signal: AbortSignal): Promise<Pick<Ended, 'exit_code' | 'running'>> {
  for (let asked = 0; ; asked += 1) {
    const state = members(await engine.read({ route: 'GET /exec/{exec}/json', object: exec, signal }));
    const code = state['ExitCode'];
    if (!flag(state['Running']) && code !== null && code !== undefined) return { exit_code: integer(code), running: false };
    const wait = ASK_AGAIN_MS[asked];
    if (wait === undefined) return { exit_code: null, running: flag(state['Running']) };
    await new Promise((done) => setTimeout(done, wait));
  }
}

function isTimeout(signal: AbortSignal): boolean {
  return signal.aborted && abortError(signal).key === 'timeout';
}

function timedOut(signal: AbortSignal, { name, short: id }: Inspected): StewardError {
  return new StewardError('exec_timeout', { seconds: abortError(signal).params['seconds'] ?? 0, name, id });
}
