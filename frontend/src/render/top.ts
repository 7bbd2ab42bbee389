/** The layout of top(1) in batch mode: the lines at its head and the columns of its table. Pure functions. */
import type { TopRecord } from '@steward/shared/ops/processes/top.ts';
import type { TopSummary } from '@steward/shared/ops/processes/top-summary.ts';
import type { Cells } from './columns.ts';
import { escapeName } from './names.ts';
import { sizeWithUnit } from './sizes.ts';

const MIB = 1024 ** 2;
/** Longer names of accounts are cut to one less, and marked. */
const USER_WIDTH = 8;

export const HEADER = ['PID', 'USER', 'PR', 'NI', 'VIRT', 'RES', 'SHR', 'S', '%CPU', '%MEM', 'TIME+', 'COMMAND'];
export const WIDE_HEADER = [...HEADER.slice(0, -1), 'PPID', 'THR', 'COMMAND'];

/** The five lines above the table. `human`: memory in MiB, else in bytes. */
export function headLines(summary: TopSummary, human: boolean): string[] {
  return [uptimeLine(summary), tasksLine(summary), cpuLine(summary), ...memoryLines(summary, human)];
}

function uptimeLine({ time, uptime, users, load_average: load }: TopSummary): string {
  // Hours take two places.
  const up = /^\d:/.test(uptime) ? ` ${uptime}` : uptime;
  const averages = load.map((average) => average.toFixed(2)).join(', ');
  return `top - ${time} up ${up}, ${String(users).padStart(2)} user${users === 1 ? '' : 's'},  load average: ${averages}`;
}

function tasksLine({ tasks }: TopSummary): string {
  const parts = ['total', 'running', 'sleeping', 'stopped', 'zombie'] as const;
  return `Tasks:${parts.map((part) => `${String(tasks[part]).padStart(4)} ${part}`).join(',')}`;
}

function cpuLine({ cpu_percent: cpu }: TopSummary): string {
  const parts = ['us', 'sy', 'ni', 'id', 'wa', 'hi', 'si', 'st'] as const;
  return `%Cpu(s):${parts.map((part) => `${cpu[part].toFixed(1).padStart(5)} ${part}`).join(',')}`;
}

function memoryLines({ mem_bytes: memory, swap_bytes: swap }: TopSummary, human: boolean): string[] {
  const size = (bytes: number): string => (human ? (bytes / MIB).toFixed(1) : String(bytes));
  const unit = human ? 'MiB' : 'B';
  const ram = `${size(memory.total)} total, ${size(memory.free)} free, ${size(memory.used)} used, ${size(memory.buff_cache)} buff/cache`;
  const paged = `${size(swap.total)} total, ${size(swap.free)} free, ${size(swap.used)} used. ${size(swap.avail_mem)} avail Mem`;
  return [`${unit} Mem : ${ram}`, `${unit} Swap: ${paged}`];
}

/** The usual columns. */
export function narrowCells(record: TopRecord, human: boolean): Cells {
  const user = escapeName(record.user);
  const shown = user.length > USER_WIDTH ? `${user.slice(0, USER_WIDTH - 1)}+` : user;
  return [String(record.pid), shown, ...figures(record, human), escapeName(record.command)];
}

/** With parent, threads and the whole command line; nothing is cut. */
export function wideCells(record: TopRecord, human: boolean): Cells {
  const { pid, user, ppid, threads, cmdline } = record;
  return [String(pid), escapeName(user), ...figures(record, human), String(ppid), String(threads), escapeName(cmdline)];
}

function figures(record: TopRecord, human: boolean): string[] {
  const size = human ? sizeWithUnit : String;
  const memory = [record.virt_bytes, record.res_bytes, record.shr_bytes].map((bytes) => size(bytes));
  const shares = [record.cpu_percent, record.mem_percent].map((percent) => percent.toFixed(1));
  return [record.pr, String(record.ni), ...memory, record.s, ...shares, record.time_plus];
}
