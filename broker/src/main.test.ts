/** A real broker process on a real connection: the handshake, sessions, refusals, breaches, reloads and its end. */
import assert from 'node:assert/strict';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  bundleIsBuilt,
  makeHome,
  peerOfLauncher,
  startBroker,
  type BrokerHome,
  type RawBroker,
  type StartOptions,
} from '../../test/support/raw-broker.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-main-')));
const srv = join(base, 'x');
mkdirSync(srv);
const GRANTS = `  ops:
    tools:
      files/read: {allowed: true, paths: ["${srv}"]}
      files/create: {allowed: true, paths: ["${srv}"]}
      files/find: {allowed: true, paths: ["${srv}"]}
      files/chmod: {allowed: true, paths: [/]}
      daemon/reload-config: {allowed: true}
`;
const homes: BrokerHome[] = [];
const brokers: RawBroker[] = [];
after(async () => {
  await Promise.all(brokers.map((broker) => broker.stop()));
  for (const home of homes) home.remove();
  rmSync(base, { recursive: true });
});

async function start(options: StartOptions = {}, home = makeHome(GRANTS)): Promise<{ home: BrokerHome; broker: RawBroker }> {
  homes.push(home);
  const broker = await startBroker(home, options);
  brokers.push(broker);
  return { home, broker };
}

async function connected(options: StartOptions = {}) {
  const started = await start(options);
  await started.broker.client.hello();
  await started.broker.client.open(started.home.token('ops'));
  return { ...started, client: started.broker.client };
}

test('serves calls, refuses what is not granted, records both, and ends with its connection', async () => {
  const { home, broker, client } = await connected({ bundle: false });
  writeFileSync(join(srv, 'file'), 'content');
  assert.equal(String((await client.call('files/read', { path: `${srv}/file` })).bytes), 'content');
  const found = await client.call('files/find', { path: srv });
  assert.deepEqual([found.key, String(found.bytes).trim().split('\n').length], [undefined, 2]);
  assert.equal((await client.call('files/read', { path: `${srv}x/file` })).key, 'path_restricted');
  assert.equal((await client.call('files/read', { path: `${srv}/../../etc/passwd` })).key, 'path_restricted');
  assert.equal((await client.call('files/chown', { path: srv, owner: 'root' })).key, 'not_granted');
  assert.equal(
    (await client.call('files/chmod', { path: join(home.configDir, 'grants.yaml'), mode: '0644' })).key,
    'protected_object',
  );
  assert.equal((await client.call('files/read', { path: `${srv}/file` }, { capability: 'f'.repeat(64) })).key, 'no_session');
  assert.equal(await broker.stop(), 0);
  const refusals = home.records().filter((record) => record.kind === 'refusal');
  assert.deepEqual(
    refusals.map((record) => record.code),
    ['RESTRICTED', 'RESTRICTED', 'NOT_GRANTED', 'PROTECTED', 'NO_SESSION'],
  );
  assert.equal(home.records().at(-1)?.kind, 'stop');
});

test('uploads any size and writes it', async () => {
  const { client } = await connected();
  const upload = Buffer.alloc(5_000_000, 'abcdefg\n');
  const answer = await client.call('files/create', { path: `${srv}/new/large` }, { upload });
  assert.equal(answer.key, undefined);
  assert.ok(readFileSync(`${srv}/new/large`).equals(upload));
  const link = `${srv}/link`;
  symlinkSync('/etc/steward-test-target', link);
  assert.equal((await client.call('files/create', { path: link }, { upload })).key, 'symlink_refused');
});

// abuse 11: broker
test('a half-closed connection gets its answers before the broker leaves', async () => {
  const { broker, client } = await connected();
  const answer = client.call('files/find', { path: srv });
  client.socket.end();
  assert.equal((await answer).key, undefined);
  assert.equal(await broker.exit, 0);
});

// abuse 42: broker
test('a reload switches grants and ends the sessions of removed users', async () => {
  const { home, broker, client } = await connected();
  const guest = (await client.tryOpen(home.token('guest'))).value as { capability: string };
  client.onMessage = (message) => {
    if (message.type === 'propose') client.send({ type: 'accept', generation: message.generation });
  };
  home.writeGrants(GRANTS.replace('files/read: {allowed: true', 'files/read: {allowed: false'));
  home.writeUsers(['ops']);
  const report = (await client.call('daemon/reload-config')).value as { changes: string[]; closed_sessions: number };
  assert.equal(report.closed_sessions, 1);
  assert.equal(report.changes.length, 2);
  assert.equal((await client.call('files/read', { path: `${srv}/file` })).key, 'not_granted');
  assert.equal((await client.call('auth/sudo-rules', {}, { capability: guest.capability })).key, 'no_session');
  home.writeGrants('  ops: {tols: {}}\n');
  broker.child.kill('SIGHUP');
  await sleep(300);
  assert.match(broker.stderr(), /config not reloaded.*grants\.yaml:3: .*tols/);
  const failed = await client.call('daemon/reload-config');
  assert.equal(failed.key, 'reload_failed');
});

test('SIGTERM ends it with an orderly record', async () => {
  const { home, broker } = await connected();
  broker.child.kill('SIGTERM');
  assert.equal(await broker.exit, 0);
  assert.equal(home.records().at(-1)?.kind, 'stop');
});

// abuse 31: broker
test('a wrong peer is refused with a record, before any word', async () => {
  for (const peer of ['', 'unknown', '1-unknown', '1-2-990x', 'launcher-0', 'launcher-12345']) {
    if (peer === 'launcher-0' && process.getuid?.() !== 0) continue;
    const { home, broker } = await start({ env: { STEWARD_PEER: peer } });
    assert.equal(await broker.exit, 77, `${peer} ${broker.stderr()}`);
    assert.deepEqual(
      home.records().map((record) => record.kind),
      ['start', 'violation', 'stop'],
    );
  }
});

// abuse 35, 81: broker
test('it does not start with NODE_OPTIONS, a strange descriptor, or a bad configuration', async () => {
  const { broker: options } = await start({ env: { STEWARD_PEER: peerOfLauncher(), NODE_OPTIONS: '--no-warnings' } });
  assert.equal(await options.exit, 1);
  assert.match(options.stderr(), /NODE_OPTIONS/);
  const fd = openSync('/etc/passwd', 'r');
  const { broker: descriptor } = await start({ descriptors: [fd] });
  closeSync(fd);
  assert.equal(await descriptor.exit, 1);
  assert.match(descriptor.stderr(), /3 -> \/etc\/passwd/);
  const home = makeHome('  ops: {tols: {}}\n');
  const { broker: config } = await start({}, home);
  assert.equal(await config.exit, 2);
  assert.match(config.stderr(), new RegExp(`^${home.configDir}/grants.yaml:3: `, 'm'));
});

test('the bundle serves with the flags that ship', { skip: !bundleIsBuilt() && 'dist/ is not built' }, async () => {
  const { broker, client } = await connected({ bundle: true });
  assert.equal((await client.call('files/create', { path: `${srv}/bundled` }, { upload: Buffer.from('x') })).key, undefined);
  assert.equal(statSync(`${srv}/bundled`).mode & 0o777, 0o644);
  assert.equal((await client.call('files/find', { path: srv })).key, undefined);
  assert.equal(await broker.stop(), 0);
});
