/**
 * Last lines of what a container wrote. The engine counts its last lines before it leaves a stream out and counts a long line several
 * times; here lines are counted as they are answered. Changes nothing.
 */
import { checkAbort } from '../../abort.ts';
import { demultiplexed, plain, type StreamName } from '../../engine/streams.ts';
import { unixTime } from '../../engine/times.ts';
import { StewardError } from '../../errors.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';
import { bytesRead, watched } from '../progress.ts';
import { CONTAINER, inspectContainer, type Inspected } from './common.ts';
import { countLines, readOutput, withoutFirst, type Answer, type Held } from './log-reader.ts';

const MAX_LINES = 100_000;
/** How much further back is looked when a look has not found enough lines. */
const FURTHER = 8;

const args = {
  type: 'object',
  properties: {
    container: CONTAINER,
    lines: { type: 'integer', minimum: 1, default: 100, description: 'at most 100000' },
    since: { type: 'string', maxLength: 64, description: 'unix time or RFC 3339' },
    until: { type: 'string', maxLength: 64 },
    stdout: { type: 'boolean', default: true },
    stderr: { type: 'boolean', default: true },
    timestamps: { type: 'boolean' },
  },
  required: ['container'],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const result = {
  type: 'object',
  properties: {
    container: { type: 'string' },
    id: { type: 'string' },
    /** Lines that are answered. */
    lines: { type: 'integer', minimum: 0 },
    truncated: { type: 'boolean' },
  },
  required: ['container', 'id', 'lines'],
  additionalProperties: false,
} as const;
export type LogsResult = Static<typeof result>;

export const dockerLogs = operation<Args, LogsResult>({
  name: 'docker/logs',
  args,
  kind: 'bytes',
  result,
  where: 'loop',
  async run(asked, context) {
    const { lines = 100, stdout = true, stderr = true } = asked;
    const [since, until] = [timeOf(asked.since), timeOf(asked.until)];
    const found = await inspectContainer(asked.container, context);
    const wanted = new Set<StreamName>([...(stdout ? ['stdout' as const] : []), ...(stderr ? ['stderr' as const] : [])]);
    const query = { follow: 'false', stdout: 'true', stderr: 'true', timestamps: String(asked.timestamps === true) };
    const window = { ...query, ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
    const { signal, progress } = context;
    const told = progress && bytesRead(progress);
    const look = { found, wanted, query: window, lines: Math.min(lines, MAX_LINES), signal, told };
    const { bytes, truncated } = wanted.size === 0 ? NOTHING : await lastLines(look);
    await context.write(bytes);
    const about = { container: found.name, id: found.short, lines: countLines(bytes) };
    return truncated ? { ...about, truncated } : about;
  },
});

const NOTHING: Answer = { bytes: Buffer.alloc(0), truncated: false };

function timeOf(written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const time = unixTime(written);
  if (time === undefined) throw new StewardError('docker_time', { value: written });
  return time;
}

interface Look {
  readonly found: Inspected;
  readonly wanted: ReadonlySet<StreamName>;
  readonly query: Readonly<Record<string, string>>;
  readonly lines: number;
  readonly signal: AbortSignal;
  /** Told of what the engine sends, over all looks. */
  readonly told: ((piece: Uint8Array) => void) | undefined;
}

/**
 * Looks further back until there are enough lines of the wanted streams, or no more. The engine counts every part of a long line, so
 * the first line of a look that did not reach the beginning may lack its own: one line more than is wanted is looked for.
 */
async function lastLines(look: Look): Promise<Answer> {
  const { lines, signal, found } = look;
  for (let tail = lines + 1; ; tail = tail * FURTHER) {
    checkAbort(signal);
    const asked = tail > MAX_LINES * FURTHER ? 'all' : String(tail);
    const held = await readBack(look, asked, 0);
    const isAll = asked === 'all' || (found.terminal ? held.seen : held.frames) < tail;
    if (held.seen <= lines && !isAll) continue;
    const before = Math.max(0, held.seen - lines);
    return withoutFirst(held, before) ?? withoutFirst(await readBack(look, asked, before), 0) ?? NOTHING;
  }
}

async function readBack({ found, wanted, query, signal, told }: Look, tail: string, skip: number): Promise<Held> {
  const { engine, id: object } = found;
  const route = 'GET /containers/{container}/logs';
  const body = watched(await engine.stream({ route, object, query: { ...query, tail }, signal }), told);
  return readOutput(found.terminal ? plain(body) : demultiplexed(body), wanted, skip);
}
