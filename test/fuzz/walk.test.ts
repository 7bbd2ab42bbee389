/**
 * The path walk and the tree walk on a tree that another process never leaves alone. Whatever the moment, nothing of the outside is
 * ever held, told or entered, every failure is one that was foreseen, and no descriptor stays open.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { StewardError } from '@steward/shared/errors.ts';
import { walkPath } from '@steward/shared/host/walk.ts';
import { filesFind } from '@steward/shared/ops/files/find.ts';
import { runOp } from '@steward/shared/testing/operations.ts';
import type { PathSpec } from '@steward/shared/host/subject.ts';
import { fuzz } from '../support/fuzz/fuzz.ts';
import type { Random } from '../support/fuzz/random.ts';

const MUTATOR = fileURLToPath(new URL('../support/fuzz/tree-mutator.ts', import.meta.url));
const NAMES = ['a', 'b', 'c'];
/** The attacker's account: it may change the tree and nothing outside. */
const NOBODY = 65_534;
const skip = process.getuid?.() !== 0 && 'needs root: the attacker must be somebody else';
const NEEDS: readonly PathSpec['need'][] = ['object', 'parent', 'any'];

const base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-walk-')));
// So deep that what leads three directories up from there (the mutator makes such links) does not leave the base.
const [tree, outside] = [join(base, 'three/levels/tree'), join(base, 'outside')];
/** Device and inode of everything that must never be reached. */
const forbidden = new Set<string>();
const idOf = ({ dev, ino }: { dev: bigint; ino: bigint }): string => `${dev}:${ino}`;

let mutator: ReturnType<typeof spawn>;
let printed = '';

before(() => {
  if (skip !== false) return;
  for (const name of ['', ...NAMES, 'a/b', 'a/b/c']) mkdirSync(join(outside, name), { recursive: true });
  for (const name of ['c/secret', 'a/secret', 'a/b/secret']) writeFileSync(join(outside, name), 'outside');
  mkdirSync(tree, { recursive: true });
  for (const path of [outside, ...readdirSync(outside, { recursive: true }).map((name) => join(outside, String(name)))])
    forbidden.add(idOf(lstatSync(path, { bigint: true })));
  chmodSync(base, 0o755);
  chownSync(tree, NOBODY, NOBODY);
  const args = [MUTATOR, tree, outside, '7', String(NOBODY)];
  mutator = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  mutator.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
});
after(() => {
  if (skip === false) mutator.kill('SIGKILL');
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

function randomPath(random: Random): string {
  return join(tree, ...Array.from({ length: random.below(5) }, () => random.pick(NAMES)));
}

const foreseen = (error: unknown): StewardError => {
  if (error instanceof StewardError) return error;
  throw error;
};

test('a walk holds what is inside, or nothing', { skip }, async (context) => {
  const [keys, spec] = [new Map<string, number>(), { lastLink: 'refuse', use: 'write', failure: 'write_file' } as const];
  await fuzz(context, { inputs: 30_000, share: 0.1 }, (random) => {
    const path = randomPath(random);
    let found = 'found';
    try {
      const subject = walkPath(path, { ...spec, need: random.pick(NEEDS) });
      const { object, parent } = subject;
      try {
        if (object === undefined) found = 'absent';
        else assert.ok(!forbidden.has(idOf(object.stat)), `${path} led to ${subject.realPath}`);
        if (parent !== undefined) assert.ok(!parent.path.startsWith(outside), `${path} would be made in ${parent.path}`);
      } finally {
        subject.close();
      }
    } catch (error) {
      found = foreseen(error).key;
    }
    keys.set(found, (keys.get(found) ?? 0) + 1);
  });
  context.diagnostic([...keys].map(([key, times]) => `${times} ${key}`).join(', '));
  for (const key of ['found', 'absent', 'symlink_refused', 'write_file']) assert.ok((keys.get(key) ?? 0) > 0, `never ${key}`);
});

test('a search tells what is inside, and enters nothing else', { skip }, async (context) => {
  let told = 0;
  await fuzz(context, { inputs: 1000, share: 0.05 }, async (random) => {
    const ran = await runOp(filesFind, { path: randomPath(random) }, { privileged: true }).catch(foreseen);
    if (ran instanceof StewardError) return;
    for (const { path } of ran.records) {
      told += 1;
      assert.ok(path.startsWith(tree) && !path.includes('secret'), `told ${path}`);
    }
  });
  assert.ok(told > 1000, `only ${told} entries were told`);
});

test('meanwhile the tree was changed all the time', { skip }, async (context) => {
  const ended = new Promise((done) => mutator.once('close', done));
  mutator.stdin?.end();
  await ended;
  context.diagnostic(`${printed.trim()} changes`);
  assert.ok(Number(printed) > 1000);
});
