/** One connection: what becomes of a call whose receiver fails, and of a broker that breaks the handshake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StewardError } from '@steward/shared/errors.ts';
import { FAKE_DIGEST, FakeBroker } from '../testing/fake-broker.ts';
import type { RootCall } from './calls.ts';
import { Wire } from './wire.ts';

interface Connected {
  readonly broker: FakeBroker;
  readonly wire: Wire;
  /** Why the connection ended. */
  readonly closed: Promise<string>;
}

async function connected(broker: FakeBroker, hello: () => void = () => undefined): Promise<Connected> {
  await broker.start();
  const greeted = Promise.withResolvers<undefined>();
  const closed = Promise.withResolvers<string>();
  const handlers = {
    hello: () => {
      hello();
      setImmediate(() => greeted.resolve(undefined));
    },
    reload: () => undefined,
    closed: closed.resolve,
  };
  const wire = new Wire({ path: broker.path, tableDigest: FAKE_DIGEST, handlers });
  await Promise.race([greeted.promise, closed.promise]);
  return { broker, wire, closed: closed.promise };
}

const callOf = (extra: Partial<RootCall>): RootCall => ({
  op: 'any',
  args: {},
  request: 'r',
  deadlineMs: 5000,
  upload: undefined,
  repeatable: false,
  sink: () => Promise.resolve(),
  signal: new AbortController().signal,
  ...extra,
});

test('a receiver that fails ends its call with its own error and cancels it; others go on', async () => {
  let stopped = false;
  const ops = {
    any: async ({ write, signal }: { write: (bytes: Uint8Array) => Promise<void>; signal: AbortSignal }) => {
      signal.addEventListener('abort', () => (stopped = true));
      for (let i = 0; i < 20; i += 1) await write(Buffer.alloc(10_000));
      return 'done';
    },
  };
  const { broker, wire } = await connected(new FakeBroker({ tokens: { a: { user: 'a' } }, ops }));
  const session = await wire.open({ token: 'a', address: '', client: '', request: '' });
  const full = new Error('disk full');
  const stuck = wire.call(session, callOf({ sink: () => Promise.reject(full) }));
  await assert.rejects(stuck, full);
  assert.equal(await wire.call(session, callOf({})), 'done');
  assert.equal(broker.count('cancel') > 0 || stopped, true);
  wire.destroy();
  await broker.stop();
});

test('a call that was stopped before it began is never sent', async () => {
  const { broker, wire } = await connected(new FakeBroker({ tokens: { a: { user: 'a' } } }));
  const session = await wire.open({ token: 'a', address: '', client: '', request: '' });
  const signal = AbortSignal.abort(new StewardError('cancelled'));
  await assert.rejects(wire.call(session, callOf({ signal })), { key: 'cancelled' });
  await assert.rejects(wire.call(session, callOf({ args: { a: 'x'.repeat(2_000_000) } })), { key: 'bad_args' });
  assert.equal(broker.count('call'), 0);
  wire.destroy();
  await broker.stop();
});

test('another version, or a hello that cannot be used, ends the connection and says why', async () => {
  const other = await connected(new FakeBroker({ digest: '0'.repeat(64) }));
  assert.match(await other.closed, /another version/);
  await other.broker.stop();
  const refused = await connected(new FakeBroker(), () => {
    throw new Error('no such configuration');
  });
  assert.equal(await refused.closed, 'no such configuration');
  assert.equal(refused.wire.alive, false);
  await refused.broker.stop();
});
