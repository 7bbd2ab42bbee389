/** The head of processes/top: load, tasks, processors and memory of the host, from files of procfs that everybody may read. */
import { readAtHand, readSystem } from '../../host/procfs.ts';
import { countLoggedIn } from '../../host/logged-in.ts';
import { localTime } from '../../host/times.ts';
import { parseMeminfo, totals } from '../memory/usage.ts';
import type { Static } from '../../schema.ts';
import type { Process } from './sample.ts';
import type { topResult } from './top-schema.ts';

export type TopSummary = Static<typeof topResult>;
type CpuPercent = TopSummary['cpu_percent'];

/** Columns of the first line of /proc/stat (proc_stat(5)) in the order in which top(1) shows them. */
const CPU_COLUMNS = { us: 0, sy: 2, ni: 1, id: 3, wa: 4, hi: 5, si: 6, st: 7 } as const;

/** Ticks of all processors together, by the columns of /proc/stat. Throws `read_system`. */
export async function readCpuTicks(root: string): Promise<number[]> {
  const [line = ''] = (await readSystem(root, '/proc/stat')).split('\n');
  return line.split(/\s+/).slice(1).map(Number);
}

/** The state of the host now, with the use of processors since `before`. Throws `read_system`. */
export async function summarize(root: string, processes: readonly Process[], before: readonly number[]): Promise<TopSummary> {
  const after = await readCpuTicks(root);
  const meminfo = parseMeminfo(await readSystem(root, '/proc/meminfo'));
  const [uptime = 0] = numbersOf(readAtHand(root, '/proc/uptime'));
  const [one = 0, five = 0, fifteen = 0] = numbersOf(readAtHand(root, '/proc/loadavg'));
  return {
    time: localTime(Date.now()).slice(-'HH:MM:SS'.length),
    uptime: uptimeText(uptime),
    uptime_seconds: uptime,
    users: countLoggedIn(root),
    load_average: [one, five, fifteen],
    tasks: countTasks(processes),
    cpu_percent: cpuPercent(before, after),
    ...memoryOf(meminfo),
  };
}

function numbersOf(text: string): number[] {
  return text.trim().split(/\s+/).map(Number);
}

/** As uptime(1): `22 min`, `4:05`, `3 days,  4:05`. `seconds` since the start of the host. */
export function uptimeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor(minutes / 60) % 24;
  const rest = minutes % 60;
  const clock = hours > 0 ? `${String(hours).padStart(2)}:${String(rest).padStart(2, '0')}` : `${String(rest)} min`;
  return days === 0 ? clock.trimStart() : `${String(days)} day${days === 1 ? '' : 's'}, ${clock}`;
}

/** Whatever neither runs nor is stopped nor dead sleeps, idle kernel threads too. */
export function countTasks(processes: readonly Pick<Process, 'state'>[]): TopSummary['tasks'] {
  const count = (states: string): number => processes.filter(({ state }) => states.includes(state)).length;
  const [total, running, stopped, zombie] = [processes.length, count('R'), count('Tt'), count('Z')];
  return { total, running, sleeping: total - running - stopped - zombie, stopped, zombie };
}

/** Shares of the time of all processors, one decimal. Time of guests is part of `us` and `ni` already. */
export function cpuPercent(before: readonly number[], after: readonly number[]): CpuPercent {
  const spent = (column: number): number => Math.max(0, (after[column] ?? 0) - (before[column] ?? 0));
  const all = Object.values(CPU_COLUMNS).reduce<number>((sum, column) => sum + spent(column), 0);
  const share = (column: number): number => (all === 0 ? 0 : Math.round((spent(column) / all) * 1000) / 10);
  const shares = Object.entries(CPU_COLUMNS).map(([name, column]) => [name, share(column)]);
  return Object.fromEntries(shares) as CpuPercent;
}

function memoryOf(meminfo: Readonly<Record<string, number>>): Pick<TopSummary, 'mem_bytes' | 'swap_bytes'> {
  const { total, free, used, buffCache, available, swap_total, swap_used, swap_free } = totals(meminfo);
  return {
    mem_bytes: { total, free, used, buff_cache: buffCache },
    swap_bytes: { total: swap_total, free: swap_free, used: swap_used, avail_mem: available },
  };
}
