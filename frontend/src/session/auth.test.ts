/** What is remembered of a token, and when the broker is asked again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_GRANTS } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import type { Wire } from '../broker/wire.ts';
import { Authenticator, type Credentials } from './auth.ts';

class FakeWire {
  alive = true;
  opened: string[] = [];
  closed: string[] = [];
  delay = Promise.resolve();

  async open({ token, address }: Credentials) {
    this.opened.push(`${token}@${address}`);
    await this.delay;
    if (token === 'bad') throw new StewardError('bad_token');
    return {
      capability: `${token}-${this.opened.length}`,
      user: token,
      token: 't',
      account: false,
      grants: NO_GRANTS,
      valid_ms: 1000,
    };
  }

  send({ capability }: { capability: string }): boolean {
    this.closed.push(capability);
    return true;
  }
}

function setting() {
  const wire = new FakeWire();
  const source = {
    current: wire as unknown as Wire | undefined,
    ready: () => (source.current ? Promise.resolve(source.current) : Promise.reject(new StewardError('broker_unavailable'))),
  };
  const clock = { now: 0 };
  return { wire, source, clock, authenticator: new Authenticator(source, () => clock.now) };
}

const from = (token: string, address = '192.0.2.1'): Credentials => ({ token, address, client: '', request: 'r' });

test('one question for many requests of one token and address, also at once', async () => {
  const { wire, authenticator } = setting();
  await Promise.all([1, 2, 3].map(() => authenticator.identify(from('a'))));
  await authenticator.identify(from('a'));
  await authenticator.identify(from('a', '192.0.2.2'));
  assert.deepEqual(wire.opened, ['a@192.0.2.1', 'a@192.0.2.2']);
});

test('a bad token is asked about every time, and never remembered', async () => {
  const { wire, authenticator } = setting();
  for (let i = 0; i < 2; i += 1) await assert.rejects(authenticator.identify(from('bad')), { key: 'bad_token' });
  assert.equal(wire.opened.length, 2);
});

test('expiry, a reload and a new broker make it ask again; the old session is closed', async () => {
  const { wire, source, clock, authenticator } = setting();
  await authenticator.identify(from('a'));
  clock.now = 1000;
  await authenticator.identify(from('a'));
  assert.deepEqual([wire.opened.length, wire.closed], [2, ['a-1']]);
  authenticator.reloaded([]);
  await authenticator.identify(from('a'));
  assert.equal(wire.opened.length, 3);
  const second = new FakeWire();
  wire.alive = false;
  source.current = second as unknown as Wire;
  const identity = await authenticator.identify(from('a'));
  assert.deepEqual([second.opened.length, identity.session.capability], [1, 'a-1']);
});

test('without a broker what it said last holds until it is over', async () => {
  const { source, clock, authenticator } = setting();
  await authenticator.identify(from('a'));
  source.current = undefined;
  assert.equal((await authenticator.identify(from('a'))).session.user, 'a');
  await assert.rejects(authenticator.identify(from('b')), { key: 'broker_unavailable' });
  clock.now = 1000;
  await assert.rejects(authenticator.identify(from('a')), { key: 'broker_unavailable' });
});

test('a withdrawn token is forgotten even without a broker', async () => {
  const { source, authenticator } = setting();
  await authenticator.identify(from('a'));
  authenticator.reloaded([{ user: 'a', token: 't' }]);
  source.current = undefined;
  await assert.rejects(authenticator.identify(from('a')), { key: 'broker_unavailable' });
});

test('a refused capability is replaced once, however many found it refused', async () => {
  const { wire, authenticator } = setting();
  const refused = await authenticator.identify(from('a'));
  const fresh = await Promise.all([1, 2].map(() => authenticator.renew(from('a'), refused)));
  assert.equal(wire.opened.length, 2);
  assert.equal(await authenticator.renew(from('a'), refused), fresh[0]);
});

test('whoever has not been here for long is forgotten and the session closed', async () => {
  const { wire, clock, authenticator } = setting();
  await authenticator.identify(from('a'));
  clock.now = 500;
  authenticator.sweep();
  assert.deepEqual(wire.closed, []);
  clock.now = 2000;
  authenticator.sweep();
  assert.deepEqual(wire.closed, ['a-1']);
});

test('one address has only so many questions under way', async () => {
  const { wire, authenticator } = setting();
  const late = Promise.withResolvers<void>();
  wire.delay = late.promise;
  const asking = Array.from({ length: 1024 }, (_, i) => authenticator.identify(from(`t${i}`)));
  await assert.rejects(authenticator.identify(from('more')), { key: 'busy' });
  const other = authenticator.identify(from('t1', '192.0.2.9'));
  late.resolve();
  await Promise.all([...asking, other]);
  assert.equal((await authenticator.identify(from('more'))).session.user, 'more');
});
