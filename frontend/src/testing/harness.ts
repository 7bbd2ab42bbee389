/** For unit tests alone: a whole frontend in this process, over a fake broker, on a port of loopback. */
import type { ProgramRunner } from '@steward/shared/host/programs.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { Frontend } from '../frontend.ts';
import { testCatalogue, type Deeds } from './catalogue.ts';
import { openSse, type Ask, type SseClient, type Target } from './client.ts';
import { FAKE_DIGEST, FakeBroker, type FakeBrokerOptions } from './fake-broker.ts';

/** Blocks of daemon.yaml, as inline YAML. */
export interface HarnessOptions extends FakeBrokerOptions {
  readonly server?: string;
  readonly rest?: string;
}

export interface Harness {
  readonly target: Target;
  readonly broker: FakeBroker;
  readonly frontend: Frontend;
  readonly deeds: Deeds;
  /** Lines of the log so far. */
  readonly log: string[];
  /** Opens a stream as the user of that token. */
  sse(token?: string, ask?: Partial<Ask>): Promise<SseClient>;
  stop(): Promise<void>;
}

const NO_PROGRAMS: ProgramRunner = { run: () => Promise.reject(new StewardError('program_missing', { program: 'any' })) };

/** daemon.yaml for a test: loopback, no TLS unless the broker hands over a pair. */
export function configText({ server = '', rest = '', tls = null }: HarnessOptions): string {
  return `version: 1\nserver:\n  listen: ["127.0.0.1:0"]\n  tls: {enabled: ${tls !== null}}\n${server}${rest}`;
}

/** Starts one; whoever starts it stops it. Tokens `alice` and `bob` are good unless told otherwise. */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const deeds: Deeds = { list: () => [], usage: () => 'used', read: () => 'content', choose: () => Promise.resolve([]) };
  const tokens = options.tokens ?? { alice: { user: 'alice' }, bob: { user: 'bob' } };
  const broker = new FakeBroker({ config: configText(options), ...options, tokens });
  await broker.start();
  const log: string[] = [];
  const frontend = new Frontend({
    socket: broker.path,
    tableDigest: FAKE_DIGEST,
    brokerOperations: ['files/list', 'files/create', 'daemon/reload-config'],
    listen: [],
    catalogue: testCatalogue(deeds),
    pool: { run: () => Promise.reject(new Error('no workers here')), close: () => Promise.resolve() },
    programs: NO_PROGRAMS,
    judge: () => undefined,
    fatal: (status) => log.push(`fatal ${status}`),
    logTo: { write: (line) => log.push(line) },
  });
  const [address = ''] = await frontend.start();
  const port = Number(address.split(':').at(-1));
  const target = { port, ...(options.tls ? { ca: options.tls.cert } : {}) };
  const clients: SseClient[] = [];
  const sse = async (token = 'alice', ask: Partial<Ask> = {}): Promise<SseClient> => {
    const client = await openSse(target, token, ask);
    clients.push(client);
    return client;
  };
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    for (const client of clients) client.close();
    await frontend.stop(0);
    await broker.stop();
  };
  return { target, broker, frontend, deeds, log, sse, stop };
}

/** One with a stream in it, for many requests without a bound on their rate; `limits` are further ones, as inline YAML. */
export async function startWithStream(limits = ''): Promise<{ it: Harness; client: SseClient }> {
  const it = await startHarness({ rest: `limits: {requests_per_second: 100000, burst: 100000, ${limits}}\n` });
  return { it, client: await it.sse() };
}

/** For deeds: work that says when it has begun, and ends when the test says so or when it is stopped. */
export interface Held {
  readonly work: (signal?: AbortSignal) => Promise<string>;
  /** Settles when the work has begun so many times. */
  begun(times?: number): Promise<void>;
  /** Ends the work with this result. */
  readonly end: (result: string) => void;
  /** How often it was stopped. */
  readonly stopped: () => number;
}

export function heldWork(): Held {
  const { promise, resolve } = Promise.withResolvers<string>();
  let [count, stopped] = [0, 0];
  return {
    work: (signal) => {
      count += 1;
      const aborted = new Promise<never>((_done, fail) => {
        signal?.addEventListener('abort', () => {
          stopped += 1;
          fail(signal.reason as Error);
        });
      });
      return Promise.race([promise, aborted]);
    },
    begun: async (times = 1) => {
      while (count < times) await new Promise((done) => setTimeout(done, 5));
    },
    end: resolve,
    stopped: () => stopped,
  };
}
