/** TCP connections to addresses that were judged before. No name is looked up here. */
import { connect, type Socket } from 'node:net';
import { TimeLimit } from './time-limit.ts';

/** An established connection. */
export interface Connection {
  readonly socket: Socket;
  readonly address: string;
  /** Milliseconds from the call of connect(2) to its success. */
  readonly latencyMs: number;
}

/**
 * Connects to the first of `addresses` that answers; one that is silent gets its share of the time. Throws the raw system error of
 * the last one, or the limit's reason. `addresses` must not be empty.
 */
export async function connectToAny(addresses: readonly string[], port: number, limit: TimeLimit): Promise<Connection> {
  let failure: unknown;
  for (const [index, address] of addresses.entries()) {
    const share = new TimeLimit(limit.remainingMs / 1000 / (addresses.length - index), limit.signal);
    try {
      // The last share is all that is left: only the limit itself ends it, so that there is one end and one reason.
      return await connectTo(address, port, index === addresses.length - 1 ? limit.signal : share.signal);
    } catch (error) {
      if (limit.isOver()) throw limit.reason;
      failure = error;
    } finally {
      share.close();
    }
  }
  throw failure;
}

async function connectTo(address: string, port: number, signal: AbortSignal): Promise<Connection> {
  const started = performance.now();
  const socket = connect({ host: address, port });
  const stop = (): void => void socket.destroy(signal.reason as Error);
  try {
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    return { socket, address, latencyMs: performance.now() - started };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
