/**
 * Tells whether a TCP port answers, and how fast. Runs in the frontend alone, unprivileged, towards what the caller's network policy
 * permits; nothing is sent on the connection.
 */
import { errnoOf, reasonOf, StewardError, type ErrorKey } from '../../errors.ts';
import { connectToAny } from '../../host/connect.ts';
import { parseDestination } from '../../host/destination.ts';
import { requirePolicy } from '../../host/network-policy.ts';
import { reachableAddresses } from '../../host/reach.ts';
import { TimeLimit } from '../../host/time-limit.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

/** Failures that are the answer to the question. */
const ANSWERS: readonly ErrorKey[] = ['host_not_found', 'lookup_timeout', 'lookup_failed'];

const port = { type: 'integer', minimum: 1, maximum: 65535 } as const;
const args = {
  type: 'object',
  properties: {
    host: { type: 'string' },
    port: { ...port, default: 80, description: '1..65535' },
    timeout: { type: 'number', minimum: 0.001, default: 5, description: 'seconds' },
  },
  required: ['host'],
  additionalProperties: false,
} as const;

const result = {
  type: 'object',
  properties: {
    host: { type: 'string' },
    port,
    success: { type: 'boolean' },
    /** Of the TCP handshake, without the look-up; 0 when it failed. */
    latency_ms: { type: 'number', minimum: 0 },
    error: { type: 'string' },
  },
  required: ['host', 'port', 'success', 'latency_ms'],
  additionalProperties: false,
} as const;

export type PingResult = Static<typeof result>;

export const networkPing = operation<Static<typeof args>, PingResult>({
  name: 'network/ping',
  args,
  kind: 'value',
  result,
  where: 'loop',
  async run({ host, port = 80, timeout = 5 }, context) {
    const policy = requirePolicy(context.network);
    const destination = parseDestination(host);
    const limit = new TimeLimit(timeout, context.signal);
    try {
      const addresses = await reachableAddresses(destination, policy, context.root, limit);
      const { socket, latencyMs } = await connectToAny(addresses, port, limit);
      socket.destroy();
      return { host, port, success: true, latency_ms: Number(latencyMs.toFixed(3)) };
    } catch (error) {
      return { host, port, success: false, latency_ms: 0, error: whyNot(error, limit) };
    } finally {
      limit.close();
    }
  },
});

/** Why the port does not answer; anything else that went wrong is thrown on. */
function whyNot(error: unknown, limit: TimeLimit): string {
  if (limit.timedOut !== undefined) return `timed out after ${String(limit.timedOut)} seconds`;
  if (error instanceof StewardError && ANSWERS.includes(error.key)) return error.message;
  if (errnoOf(error) !== undefined && !(error instanceof StewardError)) return reasonOf(error);
  throw error;
}
