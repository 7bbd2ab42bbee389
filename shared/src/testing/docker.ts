/** For tests alone: runs an operation on containers against a fake engine the way the broker would, and collects what it sends. */
import type { Operation } from '../ops/operation.ts';
import type { FakeEngine } from './fake-engine.ts';
import { testBroker, testContext } from './context.ts';

export interface DockerRun<Result, Item> {
  readonly result: Result;
  readonly records: Item[];
  readonly bytes: Buffer;
  readonly begun: number;
  /** Counts of progress, in order. */
  readonly progress: readonly number[];
}

export async function runDocker<Args, Result, Item>(
  op: Operation<Args, Result, Item>,
  args: Args,
  engine: Pick<FakeEngine, 'open'>,
  signal: AbortSignal = new AbortController().signal,
): Promise<DockerRun<Result, Item>> {
  const pieces: Buffer[] = [];
  const progress: number[] = [];
  const context = testContext<Item>({
    privileged: true,
    signal,
    broker: testBroker({ engine: () => engine.open(signal) }),
    progress: (done) => progress.push(done),
    write: (bytes) => Promise.resolve(void pieces.push(Buffer.from(bytes))),
  });
  const result = await op.run(args, context);
  return { result, records: context.records, bytes: Buffer.concat(pieces), begun: context.begun.count, progress };
}

export const CONTAINER_ID = '0123456789ab'.padEnd(64, 'c');

/** The engine's document of a container that is called web. */
export function inspected(state: string, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  const runs = state === 'running' || state === 'paused';
  return {
    Id: CONTAINER_ID,
    Name: '/web',
    State: { Status: state, Running: runs, Paused: state === 'paused' },
    Config: { Tty: false, Env: ['PATH=/bin', 'TOKEN=hunter2\nsecond=line', 'BARE'] },
    HostConfig: {},
    ...more,
  };
}
