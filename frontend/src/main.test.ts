/** The program as a process, from its bundle: who may start it, how it ends, what it makes of a broker of another version. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, closeSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { TABLE_DIGEST } from '@steward/shared/generated/table.ts';
import { http } from './testing/client.ts';
import { FakeBroker } from './testing/fake-broker.ts';
import { configText } from './testing/harness.ts';

const BUNDLE = fileURLToPath(new URL('../../dist/frontend.js', import.meta.url));
const isRoot = process.getuid?.() === 0;
/** uid of nobody. */
const NOBODY = 65534;
/** Handed over as descriptors 3 and 4: the checkout may lie where nobody cannot go. */
const HANDED_OVER = [process.execPath, BUNDLE];
const PROGRAM = ['--disable-warning=ExperimentalWarning', '--preserve-symlinks-main', '/proc/self/fd/4'];

interface Ended {
  readonly status: number | null;
  readonly output: string;
}

class Process {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  output = '';

  constructor(args: readonly string[], uid = isRoot ? NOBODY : process.getuid?.()) {
    const account = isRoot && uid !== undefined ? { uid, gid: uid } : {};
    const files = HANDED_OVER.map((file) => openSync(file, 'r'));
    const stdio = ['pipe', 'pipe', 'pipe', ...files] as const;
    this.child = spawn('/proc/self/fd/3', [...PROGRAM, ...args], { stdio: [...stdio], cwd: '/', ...account });
    for (const file of files) closeSync(file);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (text: Buffer) => (this.output += text.toString()));
    this.ended = new Promise((done) => this.child.once('close', (status) => done({ status, output: this.output })));
  }

  /** Waits for a line that matches and returns its first group. */
  async says(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) return found[1] ?? '';
      const ended = await Promise.race([this.ended, new Promise<undefined>((done) => setTimeout(done, 20, undefined))]);
      if (ended !== undefined) throw new Error(`ended with ${ended.status}: ${ended.output}`);
    }
  }
}

async function startBroker(digest = TABLE_DIGEST): Promise<FakeBroker> {
  const broker = new FakeBroker({ config: configText({}), tokens: { alice: { user: 'alice' } }, digest });
  await broker.start();
  chmodSync(dirname(broker.path), 0o711);
  chmodSync(broker.path, 0o666);
  return broker;
}

const LISTENING = /listening addresses=\["127\.0\.0\.1:(\d+)"\]/;

test('refuses to run as root, and without a socket', { skip: !isRoot }, async () => {
  const root = await new Process(['--socket', '/nowhere'], 0).ended;
  assert.deepEqual([root.status, root.output], [1, 'steward-frontend: refusing to run as root\n']);
  assert.equal((await new Process([]).ended).status, 2);
});

test('serves, and ends in order when it is told to', async () => {
  const broker = await startBroker();
  const own = new Process(['--socket', broker.path]);
  const port = Number(await own.says(LISTENING));
  const { status } = await http({ port }, { path: '/sse' });
  assert.equal(status, 401);
  own.child.kill('SIGHUP');
  own.child.kill('SIGTERM');
  assert.equal((await own.ended).status, 0);
  await broker.stop();
});

test('ends when its standard input ends, if it was started so', async () => {
  const broker = await startBroker();
  const own = new Process(['--socket', broker.path, '--exit-with-stdin', '--listen', '127.0.0.1:0']);
  await own.says(LISTENING);
  own.child.stdin?.end();
  assert.equal((await own.ended).status, 0);
  await broker.stop();
});

test('a broker of another version is not served with, and said so', async () => {
  const broker = await startBroker('0'.repeat(64));
  const own = new Process(['--socket', broker.path]);
  await own.says(/(the broker is of another version)/);
  assert.doesNotMatch(own.output, LISTENING);
  own.child.kill('SIGTERM');
  assert.equal((await own.ended).status, 0);
  await broker.stop();
});

test('without TLS only loopback is listened on; a port in use is an error', async () => {
  const broker = await startBroker();
  const open = await new Process(['--socket', broker.path, '--listen', '0.0.0.0:0']).ended;
  assert.equal(open.status, 2);
  assert.match(open.output, /without TLS only loopback is listened on, not 0\.0\.0\.0:0/);
  const first = new Process(['--socket', broker.path]);
  const port = await first.says(LISTENING);
  const second = await new Process(['--socket', broker.path, '--listen', `127.0.0.1:${port}`]).ended;
  assert.equal(second.status, 1);
  assert.match(second.output, /EADDRINUSE/);
  first.child.kill('SIGTERM');
  await first.ended;
  await broker.stop();
});

test('a hangup that comes as soon as its title is there does not end it', { timeout: 30_000 }, async () => {
  const frontend = new Process(['--socket', '/nonexistent/broker.sock']);
  const title = (): string => readFileSync(`/proc/${frontend.child.pid}/comm`, 'latin1').trim();
  while (title() !== 'steward-fronten') await new Promise((done) => setImmediate(done));
  frontend.child.kill('SIGHUP');
  await frontend.says(/the configuration is reloaded when there is a broker/);
  frontend.child.kill('SIGTERM');
  assert.equal((await frontend.ended).status, 0);
});
