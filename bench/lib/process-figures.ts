/** What procfs says of the processes that are measured. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Milliseconds of one tick: USER_HZ is 100 wherever the kernel shows it (proc_pid_stat(5)). */
const TICK_MS = 10;

/** Fields of /proc/PID/stat by their number in proc_pid_stat(5). */
function statFields(pid: number | 'self', ...numbers: readonly number[]): number[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return numbers.map((number) => Number(fields[number - 3]));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Processor time of a process and all its threads, in milliseconds. */
export function ticksOf(pid: number): number {
  return sum(statFields(pid, 14, 15)) * TICK_MS;
}

/** Processor time of all processes of a process group, in milliseconds. */
export function ticksOfGroup(group: number): number {
  const members = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return sum(members.map((name) => ticksWithin(Number(name), group)));
}

function ticksWithin(pid: number, group: number): number {
  try {
    return statFields(pid, 5)[0] === group ? ticksOf(pid) : 0;
  } catch {
    return 0; // the process is gone
  }
}

/** Processor time of the children of this process that have ended, in milliseconds. */
export function ticksOfEndedChildren(): number {
  return sum(statFields('self', 16, 17)) * TICK_MS;
}

/** The highest resident memory since it was reset, in MB (10^6 bytes). */
export function peakOf(pid: number): number {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return (Number(kib) * 1024) / 1e6;
}

/** Resident memory now, in MB (10^6 bytes). */
export function residentOf(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return (Number(kib) * 1024) / 1e6;
}

/** proc_pid_clear_refs(5): 5 sets the highest resident memory to what it is now. */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
