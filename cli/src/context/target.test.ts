/** Which daemon, which certificate, which token. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, before, beforeEach, test } from 'node:test';
import { findConfigDir } from './config-dir.ts';
import { addressOf } from './checkout.ts';
import { findTarget, readServer } from './target.ts';
import type { Target } from '../client/target.ts';
import { runLine } from '../testing/terminal.ts';
import type { Io } from '../io.ts';
import type { Flags, OptionName } from '../options.ts';

let home: string;
let checkout: string;
before(() => {
  home = mkdtempSync(join(tmpdir(), 'stewardctl-'));
  checkout = join(home, 'checkout');
  for (const directory of ['.run/tls', '.run/config', 'src/deep']) mkdirSync(join(checkout, directory), { recursive: true });
  writeFileSync(join(checkout, '.run/token'), 'checkout-token\n');
  writeFileSync(join(checkout, '.run/tls/steward.crt'), 'CHECKOUT PEM');
  writeFileSync(join(checkout, '.run/config/daemon.yaml'), 'version: 1\nserver:\n  listen: ["0.0.0.0:9191", "[::]:9191"]\n');
  writeFileSync(join(home, 'other-token'), 'other-token');
});
after(() => rmSync(home, { recursive: true }));

const PIN = 'ab'.repeat(32);
const CONTEXTS = `# mine
current: lab
contexts:
  lab: {server: https://lab.example:9091, fingerprint: ${PIN}, token_file: lab-token}
  cmd: # with a command
    server: https://cmd.example
    ca_file: ca.pem
    token_command: [printf, '%s', made-token]
`;

function writeContexts(text: string): void {
  const directory = join(home, '.config/steward');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'config.yaml'), text, { mode: 0o600 });
  writeFileSync(join(directory, 'lab-token'), 'lab-token');
  writeFileSync(join(directory, 'ca.pem'), 'CMD PEM');
}
beforeEach(() => writeContexts(CONTEXTS));

function io(cwd: string, env: Record<string, string> = {}, program = '/nonexistent/stewardctl'): Io {
  const sink = { write: () => true };
  const signal = new AbortController().signal;
  return { stdin: new PassThrough(), stdout: sink, stderr: sink, env: { HOME: home, ...env }, cwd, program, signal };
}

async function target(flags: Partial<Record<OptionName, string | true>>, from: Io): Promise<Target> {
  return findTarget(new Map(Object.entries(flags)) as Flags, from);
}

test('in a checkout everything comes from the nearest .run', async () => {
  const { url, trust, token } = await target({}, io(join(checkout, 'src/deep')));
  assert.deepEqual([url.origin, trust, token], ['https://127.0.0.1:9191', { kind: 'ca', pem: 'CHECKOUT PEM' }, 'checkout-token']);
});

test('in a checkout the address that was started last wins over that of daemon.yaml', async () => {
  writeFileSync(join(checkout, '.run/url'), 'https://127.0.0.1:9292\n');
  try {
    assert.equal((await target({}, io(checkout))).url.origin, 'https://127.0.0.1:9292');
  } finally {
    rmSync(join(checkout, '.run/url'));
  }
});

test('who may not look into the checkout’s configuration is told what cannot be read', async () => {
  const closed = join(home, 'closed');
  mkdirSync(join(closed, '.run/tls'), { recursive: true });
  writeFileSync(join(closed, '.run/tls/steward.crt'), 'PEM');
  writeFileSync(join(closed, '.run/url'), 'https://127.0.0.1:9292\n');
  // A directory in its place cannot be read as a file by anybody, root included.
  mkdirSync(join(closed, '.run/token'));
  await assert.rejects(target({}, io(closed)), /cannot read the token file .*\.run\/token: is a directory/);
  assert.equal(findConfigDir(new Map(), io(closed)), join(closed, '.run/config'));
});

test('elsewhere the current context counts, before the checkout of the program', async () => {
  const program = join(checkout, 'dist/stewardctl.js');
  const { url, trust, token } = await target({}, io(home, {}, program));
  assert.deepEqual([url.host, trust, token], ['lab.example:9091', { kind: 'fingerprint', sha256: PIN }, 'lab-token']);
  writeContexts('contexts: {}\n');
  assert.equal((await target({}, io(home, {}, program))).token, 'checkout-token');
});

test('a named context wins over the checkout; its command gives the token', async () => {
  const { url, trust, token } = await target({ context: 'cmd' }, io(checkout));
  assert.deepEqual([url.origin, trust, token], ['https://cmd.example', { kind: 'ca', pem: 'CMD PEM' }, 'made-token']);
  await assert.rejects(target({ context: 'lba' }, io(checkout)), /no context named "lba" in .* \(did you mean lab\?\)/);
});

test('the environment wins over the context, and flags over both', async () => {
  const env = { STEWARD_SERVER: 'https://env.example', STEWARD_TOKEN: 'env-token', STEWARD_CA: join(home, 'other-token') };
  const first = await target({}, io(checkout, env));
  assert.deepEqual([first.url.host, first.trust, first.token], ['env.example', { kind: 'ca', pem: 'other-token' }, 'env-token']);
  const flags = { server: 'flag.example', 'token-file': '../other-token', fingerprint: PIN };
  const second = await target(flags, io(checkout, env));
  assert.deepEqual(
    [second.url.host, second.trust, second.token],
    ['flag.example:9091', { kind: 'fingerprint', sha256: PIN }, 'other-token'],
  );
});

test('a file of contexts that others can write, or that is wrong, is refused', async () => {
  chmodSync(join(home, '.config/steward/config.yaml'), 0o666);
  await assert.rejects(target({}, io(home)), /can be written by others/);
  chmodSync(join(home, '.config/steward/config.yaml'), 0o600);
  writeContexts('contexts: {lab: {sever: x}}\ncurrent: lab\n');
  await assert.rejects(target({}, io(home)), /context lab: unknown key "sever"/);
});

test('what cannot be a server, a token or a fingerprint', async () => {
  assert.throws(() => readServer('http://far.example:9091'), /not sent without TLS/);
  assert.equal(readServer('http://127.0.0.1:9091').protocol, 'http:');
  assert.throws(() => readServer('ftp://x'), /no address of a daemon/);
  assert.throws(() => readServer('https://user:secret@x'), /no address of a daemon/);
  await assert.rejects(target({ fingerprint: 'abc' }, io(checkout)), /no SHA-256 fingerprint/);
  await assert.rejects(
    target({ 'token-file': '/nonexistent' }, io(checkout)),
    /cannot read the token file \/nonexistent: no such file or directory/,
  );
  await assert.rejects(target({}, io(checkout, { STEWARD_TOKEN: 'two words' })), /does not hold a single token/);
});

test('the address of a daemon from its listen list', () => {
  assert.equal(addressOf({ listen: ['[::]:1'] }).origin, 'https://[::1]:1');
  assert.equal(addressOf({ listen: ['127.0.0.5:2'], tls: { enabled: false } }).origin, 'http://127.0.0.5:2');
  assert.equal(addressOf({}).origin, 'https://127.0.0.1:9091');
});

test('the configuration directory of host commands', () => {
  assert.equal(findConfigDir(new Map(), io(home)), '/etc/steward');
  assert.equal(findConfigDir(new Map(), io(join(checkout, 'src'))), join(checkout, '.run/config'));
  assert.equal(findConfigDir(new Map(), io(checkout, { STEWARD_CONFIG_DIR: '/e' })), '/e');
  assert.equal(findConfigDir(new Map([['config-dir', 'rel']]), io(home, { STEWARD_CONFIG_DIR: '/e' })), join(home, 'rel'));
});

test('a context that is removed goes out of its groups, and its token with it when login has stored it', async () => {
  const tokens = join(home, '.config/steward/tokens');
  mkdirSync(tokens, { recursive: true });
  for (const name of ['a', 'b']) writeFileSync(join(tokens, name), 'x'.repeat(64));
  const entry = (name: string, token: string): string => `  ${name}: {server: "https://${name}.example", token_file: ${token}}\n`;
  writeContexts(
    `contexts:\n${entry('a', 'tokens/a')}${entry('b', 'tokens/b')}${entry('c', 'tokens/b')}` +
      'groups:\n  # of two\n  two: [a, b]\n  one: [a]\n',
  );
  const line = (words: string): ReturnType<typeof runLine> => runLine(words.split(' '), { env: { HOME: home } });
  assert.deepEqual(await line('context remove a'), { exit: 0, out: '', err: '' });
  assert.match(readFileSync(join(home, '.config/steward/config.yaml'), 'utf8'), /groups:\n {2}# of two\n {2}two: \[ ?b ?\]\n$/);
  assert.equal((await line('context list')).exit, 0);
  assert.equal(existsSync(join(tokens, 'a')), false);
  assert.equal((await line('context remove b')).exit, 0);
  assert.equal(existsSync(join(tokens, 'b')), true, 'another context has it too');
});

test('context list, use and remove keep the comments of the file', async () => {
  const line = (words: string): ReturnType<typeof runLine> => runLine(words.split(' '), { env: { HOME: home } });
  assert.match((await line('context list')).out, /^\* +lab +https:\/\/lab\.example:9091$/m);
  assert.equal((await line('context use cmd')).exit, 0);
  assert.match((await line('context list')).out, /^\* +cmd /m);
  assert.equal((await line('context remove cmd')).exit, 0);
  const { out } = await line('context list');
  assert.doesNotMatch(out, /cmd|\*/);
  assert.equal((await line('context use cmd')).exit, 2);
  assert.match(readFileSync(join(home, '.config/steward/config.yaml'), 'utf8'), /^# mine\n/);
});
