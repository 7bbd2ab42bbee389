/** Processes of this host with owner, state, memory and command line. Reads public files of procfs; shows no environment. */
import { readAccounts } from '../../host/accounts.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation } from '../operation.ts';
import { belongsTo, commandOf, pause, percentSince, readProcesses, takeSample, type Process } from './sample.ts';

/** How long processors are watched when processes are ordered by their use. */
const SAMPLE_MS = 500;

const args = {
  type: 'object',
  properties: {
    user: { type: 'string', maxLength: 255, description: 'account name or uid' },
    pid: { type: 'integer', minimum: 0, description: 'one process; 0=none' },
    sort_by: { type: 'string', enum: ['pid', 'mem', 'cpu'], default: 'pid' },
    limit: { type: 'integer', minimum: 0, description: '0=none' },
  },
  required: [],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const record = {
  type: 'object',
  properties: {
    pid: { type: 'integer' },
    /** Of the real uid. */
    user: { type: 'string' },
    comm: { type: 'string' },
    state: { type: 'string' },
    ppid: { type: 'integer' },
    rss_bytes: { type: 'integer', minimum: 0 },
    cmdline: { type: 'string' },
    /** Of one processor; only when ordered by it. */
    cpu_percent: { type: 'number', minimum: 0 },
  },
  required: ['pid', 'user', 'comm', 'state', 'ppid', 'rss_bytes', 'cmdline'],
  additionalProperties: false,
} as const;
export type ProcessRecord = Static<typeof record>;

/** A process and its use of processors, where that was measured. */
interface Measured {
  readonly process: Process;
  readonly percent?: number;
}

export const processesList = operation<Args, Static<typeof NOTHING>, ProcessRecord>({
  name: 'processes/list',
  args,
  kind: 'records',
  result: NOTHING,
  record,
  where: 'worker',
  async run(given, context) {
    const measured = await measure(given, context);
    const sorted = measured.sort(given.sort_by === 'mem' ? byMemory : given.sort_by === 'cpu' ? byPercent : byPid);
    const limit = given.limit ?? 0;
    const accounts = readAccounts(context.root);
    for (const { process, percent } of limit > 0 ? sorted.slice(0, limit) : sorted) {
      const { pid, realUid, comm, state, ppid, resident } = process;
      // Command lines can be long: each is read when it is sent, so that they are not all in memory.
      const sent = context.emit({
        pid,
        user: accounts.userName(realUid),
        comm,
        state,
        ppid,
        rss_bytes: resident,
        cmdline: commandOf(context.root, process),
        ...(percent === undefined ? {} : { cpu_percent: percent }),
      });
      if (sent !== undefined) await sent;
    }
    return {};
  },
});

async function measure({ user = '', pid = 0, sort_by }: Args, context: Parameters<typeof readProcesses>[0]): Promise<Measured[]> {
  const chosen = user === '' ? (): boolean => true : belongsTo(context.root, user);
  const read = (): Process[] => readProcesses(context, pid === 0 ? undefined : pid).filter(chosen);
  if (sort_by !== 'cpu') return read().map((process) => ({ process }));
  const before = takeSample(context, pid === 0 ? undefined : [pid]);
  await pause(SAMPLE_MS, context);
  const elapsed = performance.now() - before.at;
  return read().map((process) => ({ process, percent: percentSince(before, process, elapsed) }));
}

function byPid(a: Measured, b: Measured): number {
  return a.process.pid - b.process.pid;
}

function byMemory(a: Measured, b: Measured): number {
  return b.process.resident - a.process.resident || byPid(a, b);
}

function byPercent(a: Measured, b: Measured): number {
  return (b.percent ?? 0) - (a.percent ?? 0) || byPid(a, b);
}
