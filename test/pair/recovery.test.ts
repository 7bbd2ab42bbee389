/** Killed processes: the pair works again soon, and the record stays whole. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { eventually, startPair, type Pair } from '../support/pair.ts';

const GRANTS = '  ops:\n    tools:\n      files/read: {allowed: true, paths: [/etc]}\n';
const privileged = { path: '/etc/passwd', limit: 4, privileged: true };

async function withPair(body: (pair: Pair) => Promise<void>): Promise<void> {
  const pair = await startPair({ grants: GRANTS });
  try {
    await body(pair);
  } finally {
    await pair.stop();
  }
}

const kill = (pair: Pair, title: 'steward-broker' | 'steward-frontend'): void => {
  const [pid] = pair.pids(title);
  assert.ok(pid !== undefined, `${title} runs`);
  process.kill(pid, 'SIGKILL');
};

// abuse 37: frontend
test('a killed broker is replaced: the next privileged call works within two seconds, on the same stream', () =>
  withPair(async (pair) => {
    const client = await pair.connect('ops');
    assert.equal((await client.call('files/read', privileged)).text, 'root');
    const [old] = pair.pids('steward-broker');
    kill(pair, 'steward-broker');
    const began = performance.now();
    await eventually(async () => (await client.call('files/read', privileged)).text === 'root', 2000);
    assert.ok(performance.now() - began < 2000);
    assert.notEqual(pair.pids('steward-broker')[0], old);
    assert.equal((await client.call('cpu/load-average')).isError, false);
    const verdict = await verifyAudit(pair.auditDir);
    assert.equal(verdict.state, 'good', verdict.message);
  }));

test('a killed broker in the middle of calls: each call is answered, the chain is whole', () =>
  withPair(async (pair) => {
    const client = await pair.connect('ops');
    await client.call('files/read', privileged);
    const calls = Array.from({ length: 40 }, () => client.call('files/read', privileged));
    kill(pair, 'steward-broker');
    for (const answer of await Promise.all(calls)) {
      assert.ok(answer.text === 'root' || answer.code === 'BROKER_UNAVAILABLE' || answer.code === 'BUSY', answer.text);
    }
    await eventually(async () => (await client.call('files/read', privileged)).text === 'root', 2000);
    assert.equal((await verifyAudit(pair.auditDir)).state, 'good');
  }));

test('a killed frontend is started again by the launcher, with a new broker', () =>
  withPair(async (pair) => {
    const client = await pair.connect('ops');
    await client.call('files/read', privileged);
    kill(pair, 'steward-frontend');
    await client.ended;
    const again = await eventually(() => pair.connect('ops').catch(() => undefined), 5000);
    assert.equal((await again.call('files/read', privileged)).text, 'root');
    assert.equal((await verifyAudit(pair.auditDir)).state, 'good');
  }));

test('SIGTERM ends everything within five seconds, with streams open', () =>
  withPair(async (pair) => {
    const client = await pair.connect('ops');
    await client.call('files/read', privileged);
    const pids = [...pair.pids('steward-broker'), ...pair.pids('steward-frontend')];
    const began = performance.now();
    pair.launcher.kill('SIGTERM');
    await eventually(() => pair.launcher.exitCode !== null, 5000);
    assert.ok(performance.now() - began < 5000);
    assert.equal(pair.launcher.exitCode, 0);
    for (const pid of pids) assert.throws(() => process.kill(pid, 0));
    await client.ended;
    assert.equal(pair.records().at(-1)?.kind, 'stop');
  }));
