/**
 * The frontend taken over: requests straight to the broker, past every check of ours in between. Each refusal here is the broker's
 * own, and recorded. The shipped bundle runs, with its flags.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { errorText, type ErrorKey } from '@steward/shared/errors.ts';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { isRoot } from '../support/pair.ts';
import { makeHome, startBroker, type BrokerHome, type RawBroker } from '../support/raw-broker.ts';
import type { Answer } from '../support/raw-client.ts';

let tree: string;
let inside: string;
let home: BrokerHome;
let broker: RawBroker;

before(async () => {
  tree = mkdtempSync(join(tmpdir(), 'steward-raw-tree-'));
  chmodSync(tree, 0o755);
  inside = join(tree, 'x');
  for (const made of [inside, join(tree, 'xx')]) mkdirSync(made);
  for (const file of ['x/a', 'xx/b', 'outside']) writeFileSync(join(tree, file), 'content\n', { mode: 0o644 });
  symlinkSync(join(tree, 'outside'), join(inside, 'link'));
  const all = ['list', 'read', 'find', 'filetype', 'create', 'update', 'chmod', 'chown'];
  const tools = (path: string): string =>
    all.map((name) => `      files/${name}: {allowed: true, paths: ["${path}"]}\n`).join('');
  home = makeHome(
    `  ops:\n    tools:\n${tools(inside)}      kernel/system-control: {allowed: true, sysctl: {write_keys: ["net.ipv4.ip_default_ttl"]}}\n` +
      `  guest:\n    tools:\n${tools('/')}`,
  );
  broker = await startBroker(home, { bundle: true });
  await broker.client.hello();
});
after(async () => {
  await broker.stop();
  home.remove();
  rmSync(tree, { recursive: true, force: true });
});

const textOf = (answer: Answer): string => errorText(answer.key as ErrorKey, answer.params as Record<string, string>);

/** Arguments of every operation that takes a path; changing ones would leave a trace. */
const ON_PATH: readonly [string, object, Buffer?][] = [
  ['files/list', {}],
  ['files/read', {}],
  ['files/find', {}],
  ['files/filetype', {}],
  ['files/create', {}, Buffer.from('overwritten')],
  ['files/update', { append: true }, Buffer.from('appended')],
  ['files/chmod', { mode: '777' }],
  ['files/chown', { owner: '1:1' }],
  ['files/chown', { owner: '1:1', recursive: true }],
];

async function onEach(path: string, judge: (op: string, answer: Answer) => void): Promise<void> {
  for (const [op, args, upload] of ON_PATH) {
    judge(op, await broker.client.call(op, { path, ...args }, upload === undefined ? {} : { upload }));
  }
}

function fingerprint(path: string): string {
  const { mode, uid, gid, mtimeMs, ino } = statSync(path);
  return `${mode} ${uid} ${gid} ${mtimeMs} ${ino} ${readFileSync(path, 'latin1')}`;
}

// abuse 52, 57: broker
test('outside the grant: a neighbour, .., and a link out', async () => {
  const session = await broker.client.open(home.token('ops'));
  assert.equal(session.user, 'ops');
  const untouched = [join(tree, 'outside'), join(tree, 'xx/b'), '/etc/passwd'].map(fingerprint);
  for (const path of [join(tree, 'xx/b'), `${inside}/../outside`, `${inside}/../../../../etc/passwd`]) {
    await onEach(path, (op, answer) => {
      assert.equal(textOf(answer), `user ops is not authorized to run ${op} on path ${path} as root`);
    });
  }
  const link = join(inside, 'link');
  await onEach(link, (op, answer) => {
    if (op === 'files/filetype') return; // it reports the link itself
    assert.equal(textOf(answer), `refusing to follow a symbolic link: ${link} -> ${join(tree, 'outside')}`, op);
  });
  assert.deepEqual([join(tree, 'outside'), join(tree, 'xx/b'), '/etc/passwd'].map(fingerprint), untouched);
});

test('protected objects under a grant of /', { skip: !isRoot && 'needs root for the texts to be about protection' }, async () => {
  await broker.client.open(home.token('guest'));
  const paths = [
    join(home.configDir, 'grants.yaml'),
    join(home.configDir, 'users.yaml'),
    home.auditDir,
    '/proc/1/environ',
    '/proc/kmsg',
  ];
  const untouched = paths.slice(0, 2).map(fingerprint);
  for (const path of paths) {
    await onEach(path, (op, answer) => assert.equal(textOf(answer), `refusing to touch a protected object: ${path}`, op));
  }
  assert.deepEqual(paths.slice(0, 2).map(fingerprint), untouched);
});

// abuse 46: broker
test('kernel parameters that are not granted', async () => {
  await broker.client.open(home.token('ops'));
  const call = (args: object): Promise<Answer> => broker.client.call('kernel/system-control', args);
  assert.equal((await call({ key: 'vm.swappiness', value: '1' })).key, 'sysctl_restricted');
  assert.equal((await call({ key: 'kernel/core_pattern', value: '|/bin/x' })).key, 'sysctl_restricted');
  assert.equal((await call({ key: '../vm/x', value: '1' })).key, 'sysctl_key_invalid');
  await broker.client.open(home.token('guest'));
  assert.equal((await call({ key: 'vm.swappiness', value: '1' })).key, 'sysctl_needs_grant');
  assert.equal((await call({ key: 'vm.swappiness' })).key, 'not_granted');
});

// abuse 36: broker
test('a capability that is none: one text, whatever is wrong with it', async () => {
  const { client } = broker;
  const { capability } = await client.open(home.token('ops'));
  const wrong = ['', capability.slice(0, -2), 'f'.repeat(64), `${capability}0`];
  for (const bad of wrong) {
    assert.equal((await client.call('files/read', { path: join(inside, 'a') }, { capability: bad })).key, 'no_session');
  }
  assert.equal((await client.tryOpen(`${home.token('ops')}\n`)).key, 'bad_token');
  assert.equal((await client.tryOpen(home.token('ops').slice(0, 63))).key, 'bad_token');
});

// abuse 19, 20, 22: broker
test('arguments that the frontend would never send', async () => {
  await broker.client.open(home.token('ops'));
  const path = join(inside, 'a');
  const bad = [
    { path: 7 },
    { path, start_line: '1' },
    { path, extra: 1 },
    { path, start_line: 2 ** 53 },
    JSON.parse(`{"path":"${path}","__proto__":{"polluted":1}}`) as object,
    { path: `${path}\ud800` },
    {},
  ];
  for (const args of bad) {
    const answer = await broker.client.call('files/read', args);
    assert.equal(answer.key, 'bad_args', JSON.stringify(args));
  }
  for (const odd of ['relative', '', '/nul\u0000', `/${'a/'.repeat(3000)}`]) {
    const answer = await broker.client.call('files/read', { path: odd });
    assert.ok(['path_not_absolute', 'path_invalid', 'bad_args'].includes(answer.key ?? ''), answer.key);
  }
});

test('every refusal is on record with user, code and request', async () => {
  const refusals = home.records().filter((record) => record.kind === 'refusal');
  assert.ok(refusals.length > 50);
  for (const record of refusals) {
    assert.match(record.code ?? '', /^[A-Z_]+$/);
    assert.match(record.request ?? '', /^raw-\d+$/);
    if (record.code !== 'NO_SESSION') assert.ok(record.user === 'ops' || record.user === 'guest');
  }
  const log = JSON.stringify(home.records());
  assert.ok(!log.includes(home.token('ops')) && !log.includes('overwritten'), 'neither tokens nor content are recorded');
  assert.equal((await verifyAudit(home.auditDir)).state, 'good');
});

test('an unknown operation ends the connection with status 65, on record', async () => {
  const own = makeHome('');
  const other = await startBroker(own, { bundle: true });
  await other.client.hello();
  await other.client.open(own.token('ops'));
  other.client.start('files/format', { path: '/' }, { id: 99 });
  assert.equal(await other.exit, 65);
  assert.equal(own.records().filter((record) => record.kind === 'violation').length, 1);
  own.remove();
});

test('the audit log is fed to nobody who was not granted it', async () => {
  const answer = await broker.client.call('audit/watch', { seconds: 1 });
  assert.equal(answer.key, 'watch_not_granted');
  assert.match(textOf(answer), /^user ops is not authorized to watch the audit log/);
});
