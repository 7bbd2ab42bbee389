/** Both processes switch or neither does, whatever goes wrong in between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEntry } from '@steward/shared/audit/record.ts';
import { parseSnapshot } from '@steward/shared/config/load.ts';
import { ConfigError, type ConfigSnapshot } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import type { BrokerMessage } from '@steward/shared/ipc/messages.ts';
import { Reloader } from './reload.ts';
import { Sessions } from './sessions.ts';

const users =
  'version: 1\nusers:\n  - {name: ops, account: "", tokens: [{id: t, salt: "00112233445566778899aabbccddeeff", hash: "' +
  '0'.repeat(64) +
  '"}]}\n';
const snapshot = (grants: string, daemon = 'version: 1\n', known = users): ConfigSnapshot =>
  parseSnapshot({ daemon, users: known, grants: `version: 1\nusers: ${grants}\n` }, '/etc/steward', new Map([['root', 0]]));

type Answer = (message: Extract<BrokerMessage, { type: 'propose' }>, reloader: Reloader) => void;

function setUp(next: () => ConfigSnapshot, answer: Answer, auditFails = false) {
  const sent: BrokerMessage[] = [];
  const records: AuditEntry[] = [];
  const first = snapshot('{}');
  const reloader = new Reloader(first, {
    sessions: new Sessions(),
    tableDigest: 'd',
    load: next,
    audit: {
      append: (entry) =>
        auditFails
          ? Promise.reject(new StewardError('audit_unavailable', { reason: 'full' }))
          : Promise.resolve(records.push(entry)),
    },
    send: (message) => {
      sent.push(message);
      if (message.type === 'propose') setImmediate(() => answer(message, reloader));
      return true;
    },
  });
  return { reloader, first, sent, records, types: () => sent.map((message) => message.type) };
}

const accept: Answer = ({ generation }, reloader) => reloader.answer({ type: 'accept', generation });
const GRANTED = '{ops: {tools: {files/read: {allowed: true, paths: [/srv]}}}}';

test('an accepted configuration is on record and in force, and the frontend is told', async () => {
  const { reloader, types, records } = setUp(() => snapshot(GRANTED), accept);
  const report = await reloader.reload(false, 'r1');
  assert.equal(report.changes.length, 1);
  assert.deepEqual(report.files, ['/etc/steward/daemon.yaml', '/etc/steward/users.yaml', '/etc/steward/grants.yaml']);
  assert.ok(reloader.current.grants['ops']);
  assert.deepEqual(types(), ['propose', 'commit']);
  assert.deepEqual(
    records.map(({ kind, request }) => [kind, request]),
    [['reload', 'r1']],
  );
});

// abuse 107: broker
test('what the frontend rejects, what cannot be read and what cannot be recorded changes nothing', async () => {
  const reject: Answer = ({ generation }, it) => it.answer({ type: 'reject', generation, reason: 'daemon.yaml:3: no' });
  const broken = (): never => {
    throw new ConfigError('/etc/steward/grants.yaml', 7, 'unknown key "pathes"');
  };
  const cases = [
    { ...setUp(() => snapshot(GRANTED), reject), key: 'reload_failed', reason: 'daemon.yaml:3: no' },
    { ...setUp(broken, accept), key: 'reload_failed', reason: '/etc/steward/grants.yaml:7: unknown key "pathes"' },
    { ...setUp(() => snapshot(GRANTED), accept, true), key: 'audit_unavailable', reason: 'full' },
  ];
  for (const { reloader, first, sent, key, reason } of cases) {
    await assert.rejects(reloader.reload(false, 'r1'), { key });
    assert.equal(reloader.current, first);
    assert.deepEqual(sent.at(-1), { type: 'abandon', generation: 1, reason });
  }
});

test('a dry run reports and proposes nothing', async () => {
  const { reloader, first, sent, records } = setUp(() => snapshot(GRANTED), accept);
  assert.equal((await reloader.reload(true, 'r1')).changes.length, 1);
  assert.equal(reloader.current, first);
  assert.deepEqual([sent, records], [[], []]);
});

test('reloads follow one another, and many signals are one', async () => {
  let loads = 0;
  let concurrent = 0;
  const counted = (): ConfigSnapshot => {
    loads += 1;
    concurrent += 1;
    assert.equal(concurrent, 1);
    return snapshot(GRANTED);
  };
  const { reloader } = setUp(counted, (message, it) => {
    concurrent -= 1;
    accept(message, it);
  });
  await Promise.all([reloader.reload(false, 'r1'), reloader.reload(false, 'r1')]);
  assert.equal(loads, 2);
  await Promise.all(Array.from({ length: 50 }, () => reloader.reloadOnSignal()));
  assert.equal(loads, 3);
});

test('answers to what was never proposed are a breach, late ones are not', async () => {
  const { reloader } = setUp(() => snapshot(GRANTED), accept);
  assert.throws(() => reloader.answer({ type: 'accept', generation: 1 }), /never proposed/);
  await reloader.reload(false, 'r1');
  assert.doesNotThrow(() => reloader.answer({ type: 'reject', generation: 1, reason: 'late' }));
});
