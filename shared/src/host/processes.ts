/**
 * Processes as /proc shows them (proc_pid_stat(5), proc_pid_status(5), proc_pid_cmdline(5)). Of a process only what everybody may
 * know is read here: never its environment, never its memory. Blocks; a command line can make the kernel wait for the process, so
 * that one is for worker threads.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { errnoOf } from '../errors.ts';
import { below, numbersAmong } from './procfs.ts';

/** The kernel counts processor time in this many ticks per second wherever it shows it (USER_HZ). */
export const TICKS_PER_SECOND = 100;
/** PF_KTHREAD of the kernel's include/linux/sched.h. */
const KERNEL_THREAD = 0x0020_0000;
const KIB = 1024;

/** What /proc/<pid>/stat says. */
export interface ProcessStat {
  readonly pid: number;
  /** The name, at most 15 bytes; control characters escaped by the kernel. */
  readonly comm: string;
  /** One letter: R S D Z T t X I. */
  readonly state: string;
  readonly ppid: number;
  readonly kernelThread: boolean;
  /** Processor time used, user and system, in ticks. */
  readonly ticks: number;
  readonly priority: number;
  readonly nice: number;
  readonly threads: number;
  /** When it began, in ticks since the start of the host: with the pid it names one process for good. */
  readonly started: string;
}

/** What /proc/<pid>/status adds. Sizes in bytes, 0 where there is no memory (kernel threads, zombies). */
export interface ProcessStatus {
  /** The process that a thread belongs to: threads have directories of their own, which are not listed. */
  readonly tgid: number;
  readonly realUid: number;
  readonly effectiveUid: number;
  readonly virtual: number;
  readonly resident: number;
  readonly shared: number;
}

/** Pids in order. */
export function listPids(root: string): number[] {
  return numbersAmong(readdirSync(below(root, '/proc')));
}

/** undefined when the process is gone or hidden. `directory` is `/proc/<pid>` or a held one. */
export function readProcessStat(root: string, directory: string): ProcessStat | undefined {
  const text = readUnlessGone(root, `${directory}/stat`);
  return text === undefined ? undefined : parseProcessStat(text);
}

/** undefined when the process is gone or hidden. */
export function readProcessStatus(root: string, directory: string): ProcessStatus | undefined {
  const text = readUnlessGone(root, `${directory}/status`);
  return text === undefined ? undefined : parseProcessStatus(text);
}

/** The arguments, as the process itself may have rewritten them; none for kernel threads, zombies and those that are gone. */
export function readCommandLine(root: string, directory: string): string[] {
  return parseCommandLine(readUnlessGone(root, `${directory}/cmdline`) ?? '');
}

/** Each argument ends with a NUL. */
export function parseCommandLine(text: string): string[] {
  const words = text.split('\0');
  if (words.at(-1) === '') words.pop();
  return words;
}

/** `PID (comm) STATE PPID ...`; the name may hold anything, also blanks and parentheses, so its end is the last one. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const fields = text.slice(close + 2).split(' ');
  // Fields are counted from 1 in the manual; what follows the name begins with the third.
  const field = (number: number): string => fields[number - 3] ?? '';
  return {
    pid: Number(text.slice(0, open)),
    comm: text.slice(open + 1, close),
    state: field(3),
    ppid: Number(field(4)),
    kernelThread: (Number(field(9)) & KERNEL_THREAD) !== 0,
    ticks: Number(field(14)) + Number(field(15)),
    priority: Number(field(18)),
    nice: Number(field(19)),
    threads: Number(field(20)),
    started: field(22),
  };
}

/** Lines `Name:\tvalue`. The name of the process cannot forge one: the kernel escapes newlines in it. */
export function parseProcessStatus(text: string): ProcessStatus | undefined {
  const value = (name: string): string[] => {
    const at = text.indexOf(`\n${name}:\t`);
    if (at < 0) return [];
    const start = at + name.length + 3;
    return text.slice(start, text.indexOf('\n', start)).trim().split(/\s+/);
  };
  const bytes = (name: string): number => Number(value(name)[0] ?? 0) * KIB;
  const [tgid] = value('Tgid');
  const [real, effective] = value('Uid');
  if (tgid === undefined || real === undefined || effective === undefined) return undefined;
  return {
    tgid: Number(tgid),
    realUid: Number(real),
    effectiveUid: Number(effective),
    virtual: bytes('VmSize'),
    resident: bytes('VmRSS'),
    shared: bytes('RssFile') + bytes('RssShmem'),
  };
}

/** Processes end while they are looked at (ESRCH in the middle of a read), and some hosts hide those of others. */
function readUnlessGone(root: string, path: string): string | undefined {
  try {
    return readFileSync(below(root, path), 'utf8');
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
