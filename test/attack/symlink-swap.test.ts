/**
 * Races. While calls run through the whole stack as root, another process keeps swapping a directory or a file inside the grant for
 * a symbolic link to the outside. Not one call may reach the outside. The same harness against code that checks and then acts on
 * the path does find breaches, so it would find ours.
 *
 * STEWARD_ATTACK_SECONDS sets the time for each operation (default 2).
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import type { SseClient, ToolAnswer } from '../support/sse-client.ts';

const skip = !isRoot && 'needs root: the attack is on what root may do';
const SECONDS = Number(process.env['STEWARD_ATTACK_SECONDS'] ?? 2);
const SWAPPER = fileURLToPath(new URL('../support/swapper.ts', import.meta.url));
const SECRET = 'outside secret\n';
const INSIDE = 'inside content\n';

let base: string;
let grant: string;
let outside: string;
let pair: Pair;
let ops: SseClient;

before(async () => {
  base = mkdtempSync(join(tmpdir(), 'steward-race-'));
  chmodSync(base, 0o755);
  grant = join(base, 'granted');
  outside = join(base, 'outside');
  const tools = ['read', 'list', 'find', 'create', 'update', 'chmod', 'chown'].map((name) => `files/${name}`);
  pair = await startPair({
    users: ['ops'],
    grants: `  ops:\n    tools:\n${tools.map((tool) => `      ${tool}: {allowed: true, paths: [${grant}]}\n`).join('')}`,
    daemon: 'limits: {requests_per_second: 100000, burst: 100000}\n',
  });
  ops = await pair.connect('ops');
});
after(async () => {
  await pair.stop();
  rmSync(base, { recursive: true, force: true });
});

/** A fresh tree inside the grant, and a canary outside. */
function plant(): void {
  for (const directory of [grant, outside]) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(join(directory, 'deep'), { recursive: true });
  }
  mkdirSync(join(grant, 'd/deep'), { recursive: true });
  for (const name of ['victim', 'deep/victim']) {
    writeFileSync(join(outside, name), SECRET, { mode: 0o600 });
    writeFileSync(join(grant, 'd', name), INSIDE, { mode: 0o600 });
  }
}

/** Everything about the outside that a breach would change. */
function canary(): string {
  const facts = readdirSync(outside, { recursive: true }).map((name) => {
    const path = join(outside, String(name));
    const { mode, uid, gid, size, mtimeMs } = lstatSync(path);
    return `${String(name)} ${mode} ${uid} ${gid} ${size} ${mtimeMs} ${lstatSync(path).isFile() ? readFileSync(path, 'latin1') : ''}`;
  });
  const { mode, uid, gid } = statSync(outside);
  return `${mode} ${uid} ${gid}\n${facts.sort().join('\n')}`;
}

/** Runs `act` again and again against a swapper; returns how often it came through and the number of swaps. */
async function underAttack(
  kind: 'dir' | 'file',
  act: () => Promise<boolean>,
): Promise<{ reached: number; calls: number; swaps: number }> {
  const [path, target] = kind === 'dir' ? [join(grant, 'd'), outside] : [join(grant, 'd/victim'), join(outside, 'victim')];
  const attacker = spawn(process.execPath, [SWAPPER, kind, path, target], { stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  attacker.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = new Promise((done) => attacker.once('close', done));
  await new Promise((done) => setTimeout(done, 150));
  let [reached, calls] = [0, 0];
  const lane = async (end: number): Promise<void> => {
    while (Date.now() < end) {
      calls += 1;
      if (await act()) reached += 1;
    }
  };
  const end = Date.now() + SECONDS * 1000;
  await Promise.all([lane(end), lane(end), lane(end)]);
  attacker.stdin.end();
  await ended;
  return { reached, calls, swaps: Number(printed) };
}

const EXPECTED = new Set(['REFUSED_SYMLINK', 'SYSTEM', 'RESTRICTED', 'CONFLICT', 'NOT_REGULAR']);

function judge(answer: ToolAnswer): boolean {
  assert.ok(!answer.text.includes('outside secret'), 'content of the outside was read');
  if (answer.isError) assert.ok(EXPECTED.has(answer.code ?? ''), `${answer.code}: ${answer.text}`);
  return !answer.isError;
}

const victim = (): string => join(grant, 'd/victim');
let round = 0;
const CALLS: Record<string, () => [tool: string, args: Record<string, unknown>]> = {
  'files/read': () => ['files/read', { path: victim() }],
  'files/list': () => ['files/list', { path: join(grant, 'd/deep') }],
  'files/find': () => ['files/find', { path: join(grant, 'd') }],
  'files/create over a file': () => ['files/create', { path: victim(), content: INSIDE }],
  'files/create of new files': () => ['files/create', { path: join(grant, `d/new-${(round += 1) % 50}`), content: 'new' }],
  'files/update append': () => ['files/update', { path: victim(), content: 'x', append: true }],
  'files/update range': () => ['files/update', { path: victim(), content: 'line', start_line: 1, end_line: 1 }],
  'files/chmod': () => ['files/chmod', { path: victim(), mode: (round += 1) % 2 === 0 ? '644' : '666' }],
  'files/chown': () => ['files/chown', { path: victim(), owner: (round += 1) % 2 === 0 ? 'nobody' : 'daemon' }],
  'files/chown recursive': () => [
    'files/chown',
    { path: grant, owner: (round += 1) % 2 === 0 ? 'nobody' : 'daemon', recursive: true },
  ],
  'files/chmod recursive': () => ['files/chmod', { path: grant, mode: (round += 1) % 2 === 0 ? 'u+x' : 'u-x', recursive: true }],
};

for (const [name, call] of Object.entries(CALLS)) {
  for (const kind of ['dir', 'file'] as const) {
    test(`${name} while a ${kind === 'dir' ? 'directory' : 'file'} is swapped`, { skip }, async (context) => {
      plant();
      const untouched = canary();
      const { reached, calls, swaps } = await underAttack(kind, async () => {
        const [tool, args] = call();
        return judge(await ops.call(tool, { ...args, privileged: true }));
      });
      assert.equal(canary(), untouched, 'the outside was changed');
      assert.ok(calls > 0 && swaps > 1000, `too little happened: ${calls} calls, ${swaps} swaps`);
      context.diagnostic(`${calls} calls, ${reached} came through, ${swaps} swaps, 0 breaches`);
    });
  }
}

test('the harness finds breaches in code that checks a path and then acts on it', { skip }, async () => {
  plant();
  const untouched = canary();
  let breaches = 0;
  const { swaps } = await underAttack('dir', async () => {
    await new Promise(setImmediate);
    for (let tries = 0; tries < 200; tries += 1) {
      try {
        if (lstatSync(join(grant, 'd')).isDirectory()) chmodSync(victim(), 0o640 + (tries % 8));
      } catch {
        // Swapped away at this very moment.
      }
    }
    if (canary() !== untouched) breaches += 1;
    return true;
  });
  assert.ok(breaches > 0, `no breach in ${swaps} swaps`);
  lchownSync(outside, 0, 0);
});
