/**
 * Traces the route to a host with the traceroute program. Runs in the frontend alone, unprivileged; the program gets an address that
 * the caller's network policy has permitted, never a name.
 */
import { StewardError } from '../../errors.ts';
import { parseDestination } from '../../host/destination.ts';
import { requirePolicy } from '../../host/network-policy.ts';
import type { ProgramResult } from '../../host/programs.ts';
import { reachableAddresses } from '../../host/reach.ts';
import { TimeLimit } from '../../host/time-limit.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext, type ReportProgress } from '../operation.ts';

const MAX_HOPS = 255;
const MAX_OUTPUT = 1024 * 1024;
/** Of the look-up. */
const LOOKUP_SECONDS = 15;

const args = {
  type: 'object',
  properties: {
    host: { type: 'string' },
    max_hops: { type: 'integer', minimum: 1, default: 30, description: 'at most 255' },
  },
  required: ['host'],
  additionalProperties: false,
} as const;

/** What the program printed. */
export const networkTracePath = operation<Static<typeof args>, string>({
  name: 'network/trace-path',
  args,
  kind: 'value',
  result: { type: 'string' },
  where: 'loop',
  async run({ host, max_hops = 30 }, context) {
    const address = await firstAddress(host, context);
    const { status, stdout, stderr, truncated } = await trace(address, Math.min(max_hops, MAX_HOPS), context);
    // A program that was stopped because it had printed enough has no status.
    if (status !== 0 && !truncated) throw new StewardError('traceroute_failed', { reason: stderr.toString('utf8').trim() });
    return stdout.toString('utf8');
  },
});

async function firstAddress(host: string, context: OpContext): Promise<string> {
  const policy = requirePolicy(context.network);
  const destination = parseDestination(host);
  const limit = new TimeLimit(LOOKUP_SECONDS, context.signal);
  try {
    const [address] = await reachableAddresses(destination, policy, context.root, limit);
    if (address === undefined) throw new StewardError('host_not_found', { host });
    return address;
  } finally {
    limit.close();
  }
}

async function trace(address: string, hops: number, { programs, signal, progress }: OpContext): Promise<ProgramResult> {
  const request = {
    program: 'traceroute',
    args: ['-n', '-m', String(hops), '-q', '3', '-w', '2', '--', address],
    maxOutput: MAX_OUTPUT,
    signal,
    ...(progress === undefined ? {} : { onOutput: hopByHop(progress) }),
  };
  try {
    return await programs.run(request);
  } catch (error) {
    if (error instanceof StewardError && error.key === 'program_missing') throw new StewardError('traceroute_missing');
    throw error;
  }
}

/** Reports each hop as its line is complete. The first line is a headline. */
function hopByHop(progress: ReportProgress): (piece: Uint8Array) => void {
  let [text, hops] = ['', -1];
  return (piece) => {
    const lines = (text + Buffer.from(piece).toString('latin1')).split('\n');
    text = lines.pop() ?? '';
    hops += lines.length;
    if (hops > 0) progress(hops, lines.at(-1)?.trim());
  };
}
