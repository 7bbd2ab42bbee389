/**
 * The reads behind `process://{pid}/{target}`: status, command line, limits and open files of one process. There is no read for
 * its environment. Of steward's own processes the open files are not shown.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { checkAbort } from '../../abort.ts';
import { errnoOf } from '../../errors.ts';
import { heldPath } from '../../host/descriptors.ts';
import { holdProcess, readFailure } from '../../host/held-process.ts';
import { parseCommandLine } from '../../host/processes.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation, type AnyOperation, type OpContext } from '../operation.ts';

const args = {
  type: 'object',
  properties: { pid: { type: 'integer', minimum: 1 } },
  required: ['pid'],
  additionalProperties: false,
} as const;
export type ProcessArgs = Static<typeof args>;

const text = { type: 'string' } as const;
type Nothing = Static<typeof NOTHING>;

/** The status file as it is. */
export const processStatus = operation<ProcessArgs, string>({
  name: 'resource/process-status',
  args,
  kind: 'value',
  result: text,
  where: 'loop',
  run: ({ pid }, context) =>
    Promise.try(() => withProcess(pid, 'status', context, (directory) => readFileSync(`${directory}/status`, 'utf8'))),
});

/** The arguments one by one. The kernel may have to wait for the process: never on the event loop. */
export const processCommandLine = operation<ProcessArgs, Nothing, string>({
  name: 'resource/process-cmdline',
  args,
  kind: 'records',
  result: NOTHING,
  record: text,
  where: 'worker',
  async run({ pid }, context) {
    const line = withProcess(pid, 'cmdline', context, (directory) => readFileSync(`${directory}/cmdline`, 'utf8'));
    for (const word of parseCommandLine(line)) await context.emit(word);
    return {};
  },
});

const limit = {
  type: 'object',
  properties: { name: text, soft: text, hard: text, units: text },
  required: ['name', 'soft', 'hard', 'units'],
  additionalProperties: false,
} as const;
const limits = { type: 'array', items: limit } as const;
export type ProcessLimit = Static<typeof limit>;

export const processLimits = operation<ProcessArgs, ProcessLimit[]>({
  name: 'resource/process-limits',
  args,
  kind: 'value',
  result: limits,
  where: 'loop',
  run: ({ pid }, context) =>
    Promise.try(() =>
      parseLimits(withProcess(pid, 'limits', context, (directory) => readFileSync(`${directory}/limits`, 'utf8'))),
    ),
});

/** Columns of fixed width under `Limit`, `Soft Limit`, `Hard Limit`, `Units` (proc_pid_limits(5)). */
export function parseLimits(file: string): ProcessLimit[] {
  const [header = '', ...lines] = file.split('\n');
  const [soft, hard, units] = ['Soft Limit', 'Hard Limit', 'Units'].map((title) => header.indexOf(title)) as [
    number,
    number,
    number,
  ];
  return lines
    .filter((line) => line !== '')
    .map((line) => ({
      name: line.slice(0, soft).trim(),
      soft: line.slice(soft, hard).trim(),
      hard: line.slice(hard, units).trim(),
      units: line.slice(units).trim(),
    }));
}

const openFile = {
  type: 'object',
  properties: { fd: text, target: text },
  required: ['fd', 'target'],
  additionalProperties: false,
} as const;
export type OpenFile = Static<typeof openFile>;

export const processOpenFiles = operation<ProcessArgs, Nothing, OpenFile>({
  name: 'resource/process-open-files',
  args,
  kind: 'records',
  result: NOTHING,
  record: openFile,
  where: 'worker',
  async run({ pid }, context) {
    const files = withProcess(pid, 'open_files', context, (directory) => listOpenFiles(`${directory}/fd`, context.signal));
    for (const file of files) await context.emit(file);
    return {};
  },
});

function listOpenFiles(directory: string, signal: AbortSignal): OpenFile[] {
  const numbers = readdirSync(directory)
    .map(Number)
    .sort((a, b) => a - b);
  return numbers.flatMap((fd) => {
    checkAbort(signal);
    const target = targetOf(`${directory}/${String(fd)}`);
    return target === undefined ? [] : [{ fd: String(fd), target }];
  });
}

/** undefined when the file was closed meanwhile. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Reads something of a process through its held directory: of the one that a restriction judged, if there is one. Throws
 * `no_such_process`, `protected_object`, `read_target`.
 */
function withProcess<T>(
  pid: number,
  target: string,
  { root, guard, subject }: Pick<OpContext, 'root' | 'guard' | 'subject'>,
  read: (directory: string) => T,
): T {
  const path = `/proc/${String(pid)}/${target === 'open_files' ? 'fd' : target}`;
  guard.check({ realPath: path, stat: undefined }, 'read', path);
  const held = subject ?? holdProcess(root, pid);
  try {
    return read(heldPath(held.object?.fd ?? -1));
  } catch (error) {
    throw readFailure(error, pid, target);
  } finally {
    if (subject === undefined) held.close();
  }
}

/** In the order of the catalogue. */
export const PROCESS_READS: readonly AnyOperation[] = [processStatus, processCommandLine, processLimits, processOpenFiles];
