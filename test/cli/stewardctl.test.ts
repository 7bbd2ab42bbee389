/** stewardctl as a program against a real pair: the bundle, the real launcher, exit codes and what is printed. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { DIST, eventually, startPair, type Pair } from '../support/pair.ts';

interface Ran {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}
interface Setting {
  readonly user?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
}

const GRANTS = `  ops:
    tools:
      files/read: {allowed: true, paths: [/etc/hostname]}
      kernel/system-control: {allowed: true, sysctl: {write_keys: [kernel.nothing]}}
      daemon/reload-config: {allowed: true}
`;

let pair: Pair;
/** A directory where the daemon's account may write. */
let work: string;
before(async () => {
  pair = await startPair({ grants: GRANTS });
  work = join(pair.directory, 'work');
  mkdirSync(work);
  chmodSync(work, 0o777);
  writeFileSync(join(pair.directory, 'ca.pem'), pair.ca);
  const tokens = { ops: pair.token('ops'), guest: pair.token('guest'), wrong: 'f'.repeat(64) };
  for (const [user, token] of Object.entries(tokens)) {
    writeFileSync(join(pair.directory, `${user}.token`), token, { mode: 0o600 });
  }
});
after(() => pair.stop());

function start(words: readonly string[], { user = 'ops', env = {}, cwd = work }: Setting = {}): ChildProcessWithoutNullStreams {
  const around = {
    HOME: pair.directory,
    STEWARD_SERVER: pair.url,
    STEWARD_CA: join(pair.directory, 'ca.pem'),
    STEWARD_CONFIG_DIR: pair.configDir,
  };
  const token = ['--token-file', join(pair.directory, `${user}.token`)];
  const args = [join(DIST, 'stewardctl.js'), ...(user === '' ? [] : token), ...words];
  return spawn(process.execPath, args, { env: { ...around, ...env }, cwd });
}

async function ctl(line: string | readonly string[], setting: Setting = {}): Promise<Ran> {
  const child = start(typeof line === 'string' ? line.split(' ') : line, setting);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdin.on('error', () => undefined).end(setting.input ?? '');
  const exit = await new Promise<number | null>((done) => child.once('close', done));
  return { exit, out, err };
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test('files: create from the input, update, get exactly, list', async () => {
  const file = join(work, 'note');
  const dry = await ctl(['create', 'files', file, '--content', '-', '--dry-run'], { input: 'one\ntwo' });
  assert.deepEqual(dry, { exit: 0, out: `Dry run: would create ${file} (7 bytes, mode 0644)\n`, err: '' });
  assert.equal(existsSync(file), false);
  assert.equal((await ctl(['create', 'files', file, '--content', '-'], { input: 'one\ntwo' })).exit, 0);
  assert.equal(readFileSync(file, 'utf8'), 'one\ntwo');
  const updated = await ctl(['update', 'files', file, 'ONE', '--start-line', '1', '--end-line', '1']);
  assert.deepEqual(updated, { exit: 0, out: `Successfully updated lines 1-1 in ${file}\n`, err: '' });
  assert.deepEqual(await ctl(['get', 'files', file]), { exit: 0, out: 'ONE\ntwo', err: '' });
  assert.match((await ctl(['list', 'files', work])).out, /^total \d+\n-rw-r--r-- 1 .* note\n$/);
  assert.equal((await ctl(['list', 'files', work, '--no-long'])).out, 'note\n');
  const [entry] = JSON.parse((await ctl(['-o', 'json', 'list', 'files', work])).out) as { name: string; size: number }[];
  assert.deepEqual([entry?.name, entry?.size], ['note', 7]);
  assert.match((await ctl(['list', 'files', work, '-o', 'table'])).out, /^NAME +TYPE +MODE .*\nnote +file +-rw-r--r-- /);
  assert.equal((await ctl(['list', 'files', work, '-o', 'name'])).out, 'note\n');
});

test('sysctl reads by position; resources and templates by verb and group', async () => {
  assert.equal((await ctl('sysctl kernel kernel.ostype')).out, 'kernel.ostype = Linux\n');
  assert.match((await ctl('uname system')).out, /^Sysname: Linux\nNodename: /);
  assert.equal((await ctl('cat files /proc/sys/kernel/ostype')).out, 'Linux\n');
  assert.match((await ctl('tool cpu/load-average output_format=json')).out, /^\{\n {2}"1_min": /);
});

test('exit code 2: unknown verb, unknown flag, missing argument', async () => {
  assert.match((await ctl('lst files /etc')).err, /^stewardctl: group files has no verb "lst" \(did you mean list\?\)\n$/);
  for (const line of ['lst files /etc', 'list files /etc --al', 'list files', 'list files /etc size json too many']) {
    assert.equal((await ctl(line)).exit, 2, line);
  }
});

test('exit code 3: wrong certificate, wrong fingerprint, nobody there', async () => {
  const other = join(DIST, 'package.json');
  for (const flags of [`--ca-file ${other}`, `--fingerprint ${'0'.repeat(64)}`, '--server https://127.0.0.1:1']) {
    const { exit, err } = await ctl(`${flags} list files /etc`);
    assert.equal(exit, 3, flags);
    assert.match(err, /^stewardctl: cannot connect to https:\/\/127\.0\.0\.1:\d+: [^\n]+\n$/);
  }
  const { fingerprint256 } = new X509Certificate(pair.ca);
  assert.equal((await ctl(`--fingerprint ${fingerprint256} list files /etc`)).exit, 0);
});

test('exit code 4: an unknown token, no token', async () => {
  assert.equal((await ctl('list files /etc', { user: 'wrong' })).exit, 4);
  assert.equal((await ctl('list files /etc', { user: '' })).exit, 4);
  assert.equal((await ctl('list files /etc', { user: '', env: { STEWARD_TOKEN: pair.token('guest') } })).exit, 0);
});

test('exit code 5: no grant, outside of a grant; 1: the tool failed', async () => {
  const ungranted = await ctl('get files /etc/hostname --privileged', { user: 'guest' });
  assert.equal(ungranted.exit, 5);
  assert.match(ungranted.err, /^stewardctl: Permission denied: user guest [^\n]+ \(request [^\n]+\)\n$/);
  assert.equal((await ctl('-p get files /etc/shadow')).exit, 5);
  assert.equal((await ctl('-p sysctl kernel vm.swappiness 1')).exit, 5);
  assert.equal((await ctl('-p get files /etc/hostname')).exit, 0);
  assert.equal((await ctl('get files /nonexistent')).exit, 1);
});

test('the request id of an error is the one in the audit log', async () => {
  const { err } = await ctl('-p get files /etc/shadow');
  const request = /\(request (\w+)\)/.exec(err)?.[1] ?? 'none';
  await eventually(() => pair.records().some((record) => JSON.stringify(record).includes(request)));
});

test('the token is in neither the command line nor the environment of the process', async () => {
  const child = start(['create', 'files', join(work, 'waiting'), '--content', '-']);
  const proc = `/proc/${child.pid ?? 0}`;
  const of = (name: string): string => readFileSync(join(proc, name), 'latin1');
  const sockets = (): number =>
    readdirSync(join(proc, 'fd')).filter((fd) => linkOf(join(proc, 'fd', fd)).startsWith('socket:')).length;
  const exit = new Promise((done) => child.once('exit', done));
  try {
    // Three are its standard streams; with one more it is connected and has sent its token.
    await eventually(() => sockets() === 4, 30_000);
    for (const name of ['cmdline', 'environ']) assert.equal(of(name).includes(pair.token('ops')), false, name);
  } finally {
    child.kill('SIGINT');
  }
  assert.equal(await exit, 130);
  const refused = await ctl(['--token', pair.token('ops'), 'list', 'files', '/etc'], { user: '' });
  assert.equal(refused.exit, 2);
  assert.equal(refused.err.includes(pair.token('ops')), false);
});

test('a checkout is its own context', async () => {
  const run = join(work, 'checkout/.run');
  for (const name of ['tls', 'config']) mkdirSync(join(run, name), { recursive: true });
  mkdirSync(join(work, 'checkout/deep'));
  writeFileSync(join(run, 'token'), `${pair.token('guest')}\n`, { mode: 0o600 });
  writeFileSync(join(run, 'tls/steward.crt'), pair.ca);
  copyFileSync(join(pair.configDir, 'daemon.yaml'), join(run, 'config/daemon.yaml'));
  const env = { STEWARD_SERVER: '', STEWARD_CA: '', STEWARD_CONFIG_DIR: '' };
  const { exit, out } = await ctl('ping', { user: '', env, cwd: join(work, 'checkout/deep') });
  assert.equal(exit, 0);
  assert.ok(out.startsWith(`${pair.url} answers in `), out);
});

test('explain, whoami and tools tell what the caller may', async () => {
  assert.match((await ctl('explain files/read')).out, /^Root grant: yes \(Paths \/etc\/hostname\)$/m);
  assert.match((await ctl('explain files/read', { user: 'guest' })).out, /^Root grant: no/m);
  assert.match((await ctl('whoami')).out, /^User: +ops$/m);
  assert.match((await ctl('whoami')).out, /^ {2}files\/read \(Paths \/etc\/hostname\)$/m);
  assert.match((await ctl('tools')).out, /^kernel\/system-control +sysctl kernel +/m);
});

test('host administration: a change of grants is in force when the command has ended', async () => {
  assert.equal((await ctl('-p list files /root')).exit, 5);
  const added = await ctl('grants add ops files/list paths=/root');
  assert.equal(added.exit, 0, added.err);
  assert.equal((await ctl('-p list files /root')).exit, 0);
  assert.equal((await ctl(`config check --config-dir ${pair.configDir}`)).exit, 0);
  assert.match((await ctl('reload')).out, /No changes\./);
  assert.match((await ctl('audit show')).out, /files\/list/);
  assert.equal((await ctl('audit verify')).exit, 0);
});

test('processes that edit at the same time wait for each other, and lose nothing', async () => {
  const directory = join(pair.directory, 'edited');
  cpSync(pair.configDir, directory, { recursive: true });
  const [names, paths] = [Array.from({ length: 6 }, (_, at) => `user${at}`), Array.from({ length: 6 }, (_, at) => `/srv/${at}`)];
  const added = await Promise.all([
    ...names.map((name) => ctl(`users add ${name} --config-dir ${directory} --no-reload`)),
    ...paths.map((path) => ctl(`grants add guest files/read paths=${path} --config-dir ${directory} --no-reload`)),
  ]);
  for (const { exit, err } of added) assert.equal(exit, 0, err);
  const { users, grants } = loadSnapshot(directory);
  assert.deepEqual(users.map(({ name }) => name).sort(), ['guest', 'ops', ...names]);
  assert.deepEqual([...(grants['guest']?.tools['files/read']?.paths as readonly string[])].sort(), paths);
});

test('who may not reload over the network, or has no context, does so by signal, and reaches the right one of two pairs', async () => {
  const other = await startPair();
  try {
    const before = [pair, other].map((one) => one.output().length);
    const said = ([one, at]: readonly [Pair, number]): boolean => /configuration reloaded/.test(one.output().slice(at));
    const { exit, out, err } = await ctl('reload', { user: 'guest' });
    assert.equal(exit, 0, err);
    assert.match(out, /^Told process \d+ to reload; its log says what changed\.\n$/);
    await eventually(() => said([pair, before[0] ?? 0]));
    assert.equal(said([other, before[1] ?? 0]), false);
    const none = await ctl('reload --config-dir /nonexistent', { user: 'guest' });
    assert.equal(none.exit, 3, none.out);
  } finally {
    await other.stop();
  }
});

test('the certificate is shown, and renewed by the program that makes it', async () => {
  const { fingerprint256 } = new X509Certificate(pair.ca);
  assert.ok((await ctl('cert show')).out.includes(`SHA-256:  ${fingerprint256}\n`));
  const renewed = await ctl('cert renew');
  assert.equal(renewed.exit, 0, renewed.err);
  const made = new X509Certificate(readFileSync(join(pair.configDir, 'tls/steward.crt')));
  assert.notEqual(made.fingerprint256, fingerprint256);
  assert.ok(renewed.out.includes(made.fingerprint256));
  assert.deepEqual(readdirSync(join(pair.configDir, 'tls')).sort(), ['steward.crt', 'steward.key']);
});
