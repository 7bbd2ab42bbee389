/**
 * The newest part of the kernel's log. Where the kernel keeps it from ordinary accounts (kernel.dmesg_restrict) root reads it.
 * Runs in a worker thread: every record is one system call.
 */
import { checkAbort } from '../../abort.ts';
import { StewardError } from '../../errors.ts';
import { readKernelLog } from '../../host/kernel-log/read.ts';
import { kernelLogText, LEVELS, type KernelLogRecord, type Level } from '../../host/kernel-log/record.ts';
import { readSystem } from '../../host/procfs.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: { level: { type: 'string', description: 'comma list emerg..debug' } },
  required: [],
  additionalProperties: false,
} as const;

const entry = {
  type: 'object',
  properties: {
    seq: { type: 'integer', minimum: 0 },
    /** RFC 3339: the time of boot and the stamp. It is off by the time that the machine slept. */
    time: { type: 'string' },
    /** Since boot. */
    seconds: { type: 'number', minimum: 0 },
    level: { type: 'string', enum: LEVELS },
    facility: { type: 'string' },
    message: { type: 'string' },
  },
  required: ['seq', 'time', 'seconds', 'level', 'facility', 'message'],
  additionalProperties: false,
} as const;

const result = {
  type: 'object',
  properties: {
    entries: { type: 'array', items: entry },
    /** Whether there were more than are given. */
    truncated: { type: 'boolean' },
  },
  required: ['entries', 'truncated'],
  additionalProperties: false,
} as const;

export type KernelLog = Static<typeof result>;

/** Bytes of the text that all entries make; older ones are left out, in the other forms too. */
const MAX_TEXT = 30_720;

export const logsDmesg = operation<Static<typeof args>, KernelLog>({
  name: 'logs/dmesg',
  args,
  kind: 'value',
  result,
  where: 'worker',
  async run({ level }, context) {
    const wanted = level === undefined ? undefined : levelsOf(level);
    const booted = bootTime(await readSystem(context.root, '/proc/stat'));
    const newest = new Newest();
    for (const record of readKernelLog(context.root)) {
      checkAbort(context.signal);
      if (wanted?.has(record.level) ?? true) newest.add(record);
    }
    const entries = newest.records.map(({ seq, seconds, level: name, facility, message }) => {
      const time = new Date((booted + seconds) * 1000).toISOString();
      return { seq, time, seconds, level: name, facility, message };
    });
    return { entries, truncated: newest.truncated };
  },
});

/** Throws `log_level_invalid`. */
function levelsOf(list: string): ReadonlySet<Level> {
  const names = list.split(',').map((name) => LEVELS.find((level) => level === name.trim()));
  if (names.includes(undefined)) throw new StewardError('log_level_invalid', { level: list });
  return new Set(names.filter((name) => name !== undefined));
}

/** Seconds since 1970 (proc_stat(5)). */
function bootTime(stat: string): number {
  return Number(/^btime (\d+)$/m.exec(stat)?.[1] ?? 0);
}

/** The last records whose text, a newline between two, fits. */
class Newest {
  readonly #held: { readonly record: KernelLogRecord; readonly size: number }[] = [];
  #bytes = -1;
  #truncated = false;

  add(record: KernelLogRecord): void {
    const size = Buffer.byteLength(kernelLogText(record)) + 1;
    this.#held.push({ record, size });
    this.#bytes += size;
    while (this.#bytes > MAX_TEXT) {
      this.#bytes -= this.#held.shift()?.size ?? 0;
      this.#truncated = true;
    }
  }

  get records(): readonly KernelLogRecord[] {
    return this.#held.map(({ record }) => record);
  }

  get truncated(): boolean {
    return this.#truncated;
  }
}
