/** The program runner with programs that misbehave in every way it must survive. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { StewardError } from '../errors.ts';
import { findProgram, programRunner } from './run-program.ts';

const directory = mkdtempSync(join(tmpdir(), 'steward-programs-'));
after(() => rmSync(directory, { recursive: true }));
const NAMES = ['sh', 'cat', 'env', 'sleep', 'yes', 'pwd', 'nothing-of-this-name'];
const TEMPLATES = [
  ['[--]', '[<word>]'],
  ['-c', '<script>'],
];
const runner = programRunner({ allowed: NAMES.flatMap((name) => TEMPLATES.map((argv) => ({ name, argv }))) });
/** A shell here plays the misbehaving program; the runner itself never uses one. */
const script = (text: string, more: object = {}) => runner.run({ program: 'sh', args: ['-c', text], ...more });

/** Ids of processes whose command line holds a mark. */
function processesWith(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && Number(pid) !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });
}

test('gives status, output and errors', async () => {
  const result = await script('echo out; echo err >&2; exit 3');
  assert.deepEqual([result.status, String(result.stdout), String(result.stderr), result.truncated], [3, 'out\n', 'err\n', false]);
});

test('output is told as it comes, also what is thrown away later', async () => {
  const told: string[] = [];
  const onOutput = (piece: Uint8Array): number => told.push(Buffer.from(piece).toString());
  const { stdout } = await script('echo one; echo two', { onOutput, maxOutput: 4, keepEnd: true });
  assert.deepEqual([told.join(''), String(stdout)], ['one\ntwo\n', 'two\n']);
});

// abuse 81: broker
test('the environment is exactly the fixed one, the directory the root, the input empty', async () => {
  process.env['LD_PRELOAD'] = '';
  process.env['SECRET'] = 'x';
  const { stdout } = await runner.run({ program: 'env', args: [] });
  const names = String(stdout)
    .trimEnd()
    .split('\n')
    .map((line) => line.split('=')[0]);
  // prettier-ignore
  assert.deepEqual(names.sort(), ['LANG', 'LC_ALL', 'LESSSECURE', 'PATH', 'SYSTEMCTL_SKIP_SYSV', 'SYSTEMD_COLORS',
    'SYSTEMD_LOG_LEVEL', 'SYSTEMD_LOG_TARGET', 'SYSTEMD_PAGER']);
  assert.equal(String((await runner.run({ program: 'pwd', args: [] })).stdout), '/\n');
  assert.equal((await runner.run({ program: 'cat', args: [] })).stdout.length, 0);
});

test('input and descriptors arrive', async () => {
  assert.equal(String((await runner.run({ program: 'cat', args: [], input: Buffer.from('héllo') })).stdout), 'héllo');
  assert.equal((await runner.run({ program: 'sleep', args: ['0'], input: Buffer.alloc(1_000_000) })).status, 0);
  const fd = openSync('/etc/passwd', 'r');
  const { stdout } = await runner.run({ program: 'cat', args: ['--', '/proc/self/fd/3'], descriptors: [fd] });
  closeSync(fd);
  assert.equal(String(stdout), readFileSync('/etc/passwd', 'utf8'));
});

// abuse 77: broker
test('a grandchild that holds the pipe delays nothing and does not survive', async () => {
  const began = performance.now();
  const { status, stdout } = await script('sleep 31.4151 & echo done');
  assert.ok(performance.now() - began < 1000);
  assert.deepEqual([status, String(stdout)], [0, 'done\n']);
  await sleep(50);
  assert.deepEqual(processesWith('31.4151'), []);
});

// abuse 77, 78: broker
test('at its time limit the whole group dies', async () => {
  const began = performance.now();
  const hung = script("trap '' TERM; sleep 31.4152 & sleep 31.4152; sleep 31.4152", { timeoutMs: 300 });
  await assert.rejects(hung, { key: 'timeout', params: { seconds: 1 } });
  assert.ok(performance.now() - began < 800);
  await sleep(50);
  assert.deepEqual(processesWith('31.4152'), []);
});

test('it ends with its call, and does not begin after it', async () => {
  const controller = new AbortController();
  const running = script('sleep 31.4153', { signal: controller.signal });
  setTimeout(() => controller.abort(new StewardError('shutting_down')), 50);
  await assert.rejects(running, { key: 'shutting_down' });
  await assert.rejects(script('exit 0', { signal: controller.signal }), { key: 'shutting_down' });
  assert.deepEqual(processesWith('31.4153'), []);
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

// abuse 79: broker
test('endless output is cut as it comes', async () => {
  const held = (): number => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  const result = await runner.run({ program: 'yes', args: ['x'.repeat(1000)], maxOutput: 100_000 });
  assert.deepEqual([result.truncated, result.stdout.length, result.status], [true, 100_000, null]);
  const errors = await script('yes >&2', { timeoutMs: 300 }).catch((error: unknown) => error);
  assert.equal((errors as StewardError).key, 'timeout');
  // What is held, not what the collector, which frees in the background, has yet to give back.
  for (let tries = 0; tries < 100 && held() - before > 5_000_000; tries++) await sleep(20);
  assert.ok(held() - before < 5_000_000);
});

// abuse 80: broker
test('only programs that root alone can change are found', async () => {
  await assert.rejects(runner.run({ program: 'nothing-of-this-name', args: [] }), { key: 'program_missing' });
  const cat = programRunner({ allowed: [{ name: 'cat', argv: ['--', '<file>'] }] });
  await assert.rejects(cat.run({ program: 'sh', args: ['--', '/dev/null'] }), /does not name the program sh/);
  await assert.rejects(cat.run({ program: 'cat', args: ['-A', '/dev/null'] }), /does not name the program cat with these/);
  assert.equal((await cat.run({ program: 'cat', args: ['--', '/dev/null'] })).status, 0);
  for (const name of ['../bin/sh', '/bin/sh', '', '-x', 'a b']) assert.equal(findProgram(name), undefined);
  const mine = (name: string, mode: number): string => {
    copyFileSync('/bin/true', join(directory, name));
    chmodSync(join(directory, name), mode);
    return name;
  };
  const asRoot = process.getuid?.() === 0;
  assert.equal(findProgram(mine('good', 0o755), [directory]) !== undefined, asRoot);
  assert.equal(findProgram(mine('group', 0o775), [directory]), undefined);
  assert.equal(findProgram(mine('plain', 0o644), [directory]), undefined);
  writeFileSync(join(directory, 'script'), '#!/bin/sh\n', { mode: 0o755 });
  assert.equal(findProgram('script', [directory]), undefined);
  symlinkSync(join(directory, 'group'), join(directory, 'link'));
  assert.equal(findProgram('link', [directory]), undefined);
});
