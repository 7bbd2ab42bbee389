/**
 * One snapshot of the host like `top -b`: two readings with a pause between them. Reads public files of procfs; shows no
 * environment.
 */
import { readAccounts, type Accounts } from '../../host/accounts.ts';
import { TICKS_PER_SECOND } from '../../host/processes.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';
import { commandOf, pause, percentSince, readProcesses, takeSample, type Process } from './sample.ts';
import { topArgs as args, topRecord as record, topResult as result } from './top-schema.ts';
import { readCpuTicks, summarize, type TopSummary } from './top-summary.ts';

type Args = Static<typeof args>;
export type TopRecord = Static<typeof record>;

const MIN_INTERVAL_MS = 100;
const MAX_INTERVAL_MS = 10_000;
const DEFAULT_INTERVAL_MS = 1000;
/** Priorities below this are shown by name, as top(1) does. */
const LOWEST_NUMBERED = -99;

interface Measured {
  readonly process: Process;
  readonly percent: number;
}

const ORDERS: Readonly<Record<NonNullable<Args['sort_by']>, (one: Measured) => number>> = {
  cpu: ({ percent }) => percent,
  mem: ({ process }) => process.resident,
  res: ({ process }) => process.resident,
  time: ({ process }) => process.ticks,
  pid: () => 0,
};

export const processesTop = operation<Args, TopSummary, TopRecord>({
  name: 'processes/top',
  args,
  kind: 'records',
  result,
  record,
  where: 'worker',
  async run(given, context) {
    const { root } = context;
    const [ticks, before] = [await readCpuTicks(root), takeSample(context)];
    await pause(clampInterval(given.interval_ms), context);
    const elapsed = performance.now() - before.at;
    const all = readProcesses(context);
    const summary = await summarize(root, all, ticks);
    const measured = all.map((process) => ({ process, percent: percentSince(before, process, elapsed) }));
    const accounts = readAccounts(root);
    for (const one of choose(measured, given, accounts)) {
      const words = { user: accounts.userName(one.process.realUid), cmdline: commandOf(root, one.process) };
      const sent = context.emit(describe(one, words, summary.mem_bytes.total));
      if (sent !== undefined) await sent;
    }
    return summary;
  },
});

function clampInterval(milliseconds = DEFAULT_INTERVAL_MS): number {
  return Math.min(Math.max(milliseconds, MIN_INTERVAL_MS), MAX_INTERVAL_MS);
}

/** Largest first, equals by pid; the number of processes is limited last. */
function choose(measured: readonly Measured[], { user = '', sort_by = 'cpu', limit = 0 }: Args, accounts: Accounts): Measured[] {
  const uid = accounts.user(user)?.uid;
  const chosen = user === '' ? [...measured] : measured.filter(({ process }) => process.realUid === uid);
  const order = ORDERS[sort_by];
  chosen.sort((a, b) => order(b) - order(a) || a.process.pid - b.process.pid);
  return limit > 0 ? chosen.slice(0, limit) : chosen;
}

type Words = Pick<TopRecord, 'user' | 'cmdline'>;

function describe({ process, percent }: Measured, { user, cmdline }: Words, memory: number): TopRecord {
  const { resident, priority } = process;
  return {
    pid: process.pid,
    user,
    pr: priority < LOWEST_NUMBERED ? 'rt' : String(priority),
    ni: process.nice,
    virt_bytes: process.virtual,
    res_bytes: resident,
    shr_bytes: process.shared,
    s: process.state,
    cpu_percent: percent,
    mem_percent: memory === 0 ? 0 : Math.round((resident / memory) * 1000) / 10,
    time_plus: timePlus(process.ticks),
    command: process.comm,
    cmdline,
    ppid: process.ppid,
    threads: process.threads,
  };
}

/** `m:ss.cc` of processor time in ticks, which are hundredths of a second. */
export function timePlus(ticks: number): string {
  const seconds = Math.floor(ticks / TICKS_PER_SECOND);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${String(Math.floor(seconds / 60))}:${two(seconds % 60)}.${two(ticks % TICKS_PER_SECOND)}`;
}
