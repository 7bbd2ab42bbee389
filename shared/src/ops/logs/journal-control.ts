/**
 * Entries of the systemd journal, newest ones kept. What is sent is what journalctl printed: lines of text, or one JSON object per
 * line. Callers' text is glued to long options, so that it is never an option itself. Changes nothing.
 */
import { StewardError } from '../../errors.ts';
import type { ProgramResult } from '../../host/programs.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';
import { linesRead } from '../progress.ts';

const MAX_LINES = 10_000;
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_TIME_MS = 300_000;
const MAX_TEXT = 255;
const NEWLINE = 0x0a;
/** Sent at once: copying the whole would hold up the event loop. */
const PIECE = 64 * 1024;

const args = {
  type: 'object',
  properties: {
    unit: { type: 'string' },
    lines: { type: 'integer', minimum: 1, default: 100, description: 'at most 10000' },
    since: { type: 'string', description: 'as journalctl, e.g. -1h' },
    until: { type: 'string' },
    reverse: { type: 'boolean', description: 'newest first' },
    boot: { type: 'boolean', description: 'current boot' },
    boot_offset: { type: 'integer', description: '-1 = previous; wins over boot' },
    /** Any but `text` gives JSON Lines. */
    output_format: { type: 'string', enum: ['text', 'json', 'yaml', 'table', 'wide'] },
  },
  required: [],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const result = {
  type: 'object',
  properties: {
    /** Whether older entries (with `reverse` too) were left out because there was too much. */
    truncated: { type: 'boolean' },
    bytes: { type: 'integer' },
  },
  required: ['truncated', 'bytes'],
  additionalProperties: false,
} as const;
export type JournalResult = Static<typeof result>;

export const journalControl = operation<Args, JournalResult>({
  name: 'logs/journal-control',
  args,
  kind: 'bytes',
  result,
  where: 'loop',
  async run(given, context) {
    const argv = journalctlArguments(given);
    const reverse = given.reverse === true;
    const { status, stdout, stderr, truncated } = await run(argv, reverse, context);
    // Newest first, the program is stopped at the cap and has no status.
    if (status !== 0 && !(truncated && reverse)) throw failureOf(given, status, stderr.toString('utf8').trim(), context);
    const bytes = wholeLines(stdout, truncated, reverse);
    for (let at = 0; at < bytes.length; at += PIECE) await context.write(bytes.subarray(at, at + PIECE));
    return { truncated, bytes: bytes.length };
  },
});

/** The whole argument vector of journalctl(1). Throws `journal_argument`. */
export function journalctlArguments({
  unit,
  lines = 100,
  since,
  until,
  reverse,
  boot,
  boot_offset,
  output_format,
}: Args): string[] {
  const output = output_format === undefined || output_format === 'text' ? 'short' : 'json';
  const texts = Object.entries({ unit, since, until }).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const offset = boot_offset ?? (boot === true ? 0 : undefined);
  return [
    ...['--system', '--no-pager', '--quiet', `--lines=${Math.min(lines, MAX_LINES)}`, `--output=${output}`],
    ...texts.map(([name, value]) => `--${name}=${checkedText(name, value)}`),
    ...(offset === undefined ? [] : [`--boot=${offset}`]),
    ...(reverse === true ? ['--reverse'] : []),
  ];
}

function checkedText(name: string, value: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is refused
  if (value.length > MAX_TEXT || /[\u0000-\u001f\u007f-\u009f]/.test(value))
    throw new StewardError('journal_argument', { name, value });
  return value;
}

async function run(argv: readonly string[], reverse: boolean, { programs, signal, progress }: OpContext): Promise<ProgramResult> {
  const limits = { maxOutput: MAX_BYTES, timeoutMs: MAX_TIME_MS, signal };
  const told = progress === undefined ? {} : { onOutput: linesRead(progress) };
  const request = { program: 'journalctl', args: argv, keepEnd: !reverse, ...limits, ...told };
  try {
    return await programs.run(request);
  } catch (error) {
    if (!(error instanceof StewardError) || error.key !== 'program_missing') throw error;
    throw new StewardError('journal_failed', { reason: error.message, stderr: '' });
  }
}

function failureOf({ since }: Args, status: number | null, stderr: string, { privileged }: OpContext): StewardError {
  const stamp = /^Failed to parse timestamp: (.*)$/m.exec(stderr)?.[1];
  if (stamp !== undefined)
    return new StewardError('journal_argument', { name: stamp === since ? 'since' : 'until', value: stamp });
  const reason = status === null ? 'it was killed' : `exit status ${status}`;
  const denied = !privileged && stderr.includes('insufficient permissions');
  return new StewardError('journal_failed', { reason, stderr, ...(denied ? { errno: 'EACCES' } : {}) });
}

/** Without the line that the cap cut in two, and without the final newline. */
function wholeLines(output: Buffer, truncated: boolean, reverse: boolean): Buffer {
  let [start, end] = [0, output.length];
  if (truncated && reverse) end = output.lastIndexOf(NEWLINE) + 1;
  else if (truncated) start = output.indexOf(NEWLINE) + 1;
  if (output[end - 1] === NEWLINE && end > start) end -= 1;
  return output.subarray(start, end);
}
