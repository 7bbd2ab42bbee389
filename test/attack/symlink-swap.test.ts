/**
 * Races. While calls run through the whole stack as root, another process keeps swapping a directory or a file inside the grant for
 * a symbolic link to the outside: by exchanging the two, or with a moment in which nothing is there. Not one call may reach the
 * outside. The same harness against code that checks and then acts on the path does find breaches, so it would find ours.
 *
 * STEWARD_ATTACK_SECONDS sets the time for each (default 1); STEWARD_ATTACK_SWAPS a number of exchanges for each instead.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import type { SseClient, ToolAnswer } from '../support/sse-client.ts';

const skip = !isRoot && 'needs root: the attack is on what root may do';
const SECONDS = Number(process.env['STEWARD_ATTACK_SECONDS'] ?? 1);
const SWAPS = Number(process.env['STEWARD_ATTACK_SWAPS'] ?? 0);
const support = (name: string): string => fileURLToPath(new URL(`../support/${name}`, import.meta.url));
/** In memory the attacker is several times as fast. */
const FAST = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const SECRET = 'outside secret\n';
const INSIDE = 'inside content\n';

let base: string;
let grant: string;
let outside: string;
let pair: Pair;
let ops: SseClient;

before(async () => {
  base = mkdtempSync(join(FAST, 'steward-race-'));
  chmodSync(base, 0o755);
  grant = join(base, 'granted');
  outside = join(base, 'outside');
  const files = ['read', 'list', 'find', 'create', 'update', 'chmod', 'chown'].map((name) => `files/${name}`);
  const tools = [...files, 'disks/usage'];
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

type Way = 'exchanged' | 'replaced';
type Kind = 'dir' | 'file';

/** A process that swaps until its input ends, or so many times as were asked for. */
function startAttacker(way: Way, kind: Kind): ChildProcessByStdio<Writable, Readable, null> {
  const [path, target] = kind === 'dir' ? [join(grant, 'd'), outside] : [victim(), join(outside, 'victim')];
  const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit'];
  if (way === 'replaced') return spawn(process.execPath, [support('swapper.ts'), kind, path, target], { stdio });
  const link = join(base, 'link');
  rmSync(link, { recursive: true, force: true });
  symlinkSync(target, link);
  const count = String(SWAPS > 0 ? SWAPS : Number.MAX_SAFE_INTEGER);
  return spawn('python3', [support('exchanger.py'), path, link, target, count], { stdio });
}

interface Fight {
  /** Calls that came through, and all. */
  readonly reached: number;
  readonly calls: number;
  readonly swaps: number;
}

/** Runs `act` again and again against an attacker. */
async function underAttack(way: Way, kind: Kind, act: () => Promise<boolean>): Promise<Fight> {
  const attacker = startAttacker(way, kind);
  let [printed, over, reached, calls] = ['', false, 0, 0];
  attacker.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = new Promise<void>((done) => attacker.once('close', () => done()));
  await Promise.race([once(attacker.stdout, 'data'), ended]);
  const lane = async (): Promise<void> => {
    while (!over) {
      calls += 1;
      if (await act()) reached += 1;
    }
  };
  const lanes = Promise.all([lane(), lane(), lane()]);
  const time = new Promise((done) => setTimeout(done, SECONDS * 1000));
  await Promise.race([lanes, SWAPS > 0 && way === 'exchanged' ? ended : time]);
  over = true;
  attacker.stdin.on('error', () => undefined).end();
  await Promise.all([lanes, ended]);
  return { reached, calls, swaps: Number(printed.trim().split('\n').at(-1)) };
}

/** `TIMEOUT`: an attacker of this kind may keep the whole machine busy. */
const EXPECTED = new Set(['REFUSED_SYMLINK', 'SYSTEM', 'RESTRICTED', 'CONFLICT', 'NOT_REGULAR', 'TIMEOUT']);

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
  'disks/usage': () => ['disks/usage', { path: grant, all: true }],
  'files/chmod recursive': () => ['files/chmod', { path: grant, mode: (round += 1) % 2 === 0 ? 'u+x' : 'u-x', recursive: true }],
};

const ATTACKS = [
  ['exchanged', 'dir'],
  ['exchanged', 'file'],
  ['replaced', 'dir'],
] as const;

for (const [name, call] of Object.entries(CALLS)) {
  for (const [way, kind] of ATTACKS) {
    test(`${name} while a ${kind === 'dir' ? 'directory' : 'file'} is ${way}`, { skip }, async (context) => {
      plant();
      const untouched = canary();
      const { reached, calls, swaps } = await underAttack(way, kind, async () => {
        const [tool, args] = call();
        return judge(await ops.call(tool, { ...args, privileged: true }));
      });
      assert.equal(canary(), untouched, 'the outside was changed');
      assert.ok(calls > 0 && swaps > 500, `too little happened: ${calls} calls, ${swaps} swaps`);
      context.diagnostic(`${calls} calls, ${reached} came through, ${swaps} swaps, 0 breaches`);
    });
  }
}

test('the harness finds breaches in code that checks a path and then acts on it', { skip }, async () => {
  plant();
  const untouched = canary();
  let breaches = 0;
  const { swaps } = await underAttack('replaced', 'dir', async () => {
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
