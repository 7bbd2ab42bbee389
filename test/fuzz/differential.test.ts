/**
 * The same operation on the same tree, once in the frontend without any right and once in the broker as root: the answers are the
 * same, unless the kernel refused the frontend something, or a link was on the way, which only root refuses.
 */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import { fuzz } from '../support/fuzz/fuzz.ts';
import { Random } from '../support/fuzz/random.ts';
import type { SseClient, ToolAnswer } from '../support/sse-client.ts';

const skip = !isRoot && 'needs root: as one account both sides are the same';
const NAMES = ['a', 'b', 'c', 'd'];
const DEPTH = 3;

let base: string;
let pair: Pair;
let ops: SseClient;
/** Of the tree: everything, what an account without rights cannot read, and the links. */
const paths: string[] = [];
const closed: string[] = [];
const links: string[] = [];

function restrict(path: string, mode: number): void {
  chmodSync(path, mode);
  if ((mode & 0o004) === 0) closed.push(path);
}

function plant(directory: string, depth: number, random: Random): void {
  for (const name of NAMES) {
    const path = join(directory, name);
    paths.push(path);
    if (depth < DEPTH && random.once(2)) {
      mkdirSync(path);
      plant(path, depth + 1, random);
      restrict(path, random.once(9) ? random.pick([0o711, 0o700]) : 0o755);
      if (random.once(3)) chownSync(path, 1000 + random.below(3), 0);
    } else if (random.once(5)) {
      symlinkSync(random.pick(['a', '../b', 'nowhere', '/etc/hostname']), path);
      links.push(path);
      continue;
    } else {
      writeFileSync(path, random.once(4) ? random.bytes(300) : `${'line of text\n'.repeat(random.below(20))}${path}\n`);
      restrict(path, random.once(12) ? 0o600 : random.pick([0o644, 0o755, 0o444]));
    }
  }
}

before(async () => {
  if (!isRoot) return;
  base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-differential-')));
  chmodSync(base, 0o755);
  plant(base, 0, new Random(5));
  const tools = ['list', 'read', 'find', 'filetype', 'chmod', 'create', 'update'].map((name) => `files/${name}`);
  pair = await startPair({
    users: ['ops'],
    grants: `  ops:\n    tools:\n${[...tools, 'disks/usage'].map((tool) => `      ${tool}: {allowed: true, paths: [${base}]}\n`).join('')}`,
    daemon: 'limits: {requests_per_second: 100000, burst: 100000}\n',
  });
  ops = await pair.connect('ops');
});
after(async () => {
  if (!isRoot) return;
  await pair.stop();
  rmSync(base, { recursive: true, force: true });
});

/** A call that changes nothing. */
function randomCall(random: Random): [tool: string, args: Record<string, unknown>] {
  const path = random.once(10) ? join(base, 'missing', random.pick(NAMES)) : random.pick([base, ...paths]);
  const output_format = random.pick(['text', 'json', undefined]);
  const shown = output_format === undefined ? {} : { output_format };
  return random.pick<() => [string, Record<string, unknown>]>([
    () => ['files/list', { path, all: random.once(2), long: random.once(2), ...shown }],
    () => [
      'files/read',
      { path, ...(random.once(2) ? { limit: random.below(200) } : { start_line: 1, end_line: 1 + random.below(9) }) },
    ],
    () => ['files/find', { path, name: random.pick(['*', 'a', '[bc]']), max_depth: 1 + random.below(3), ...shown }],
    () => ['files/filetype', { path }],
    () => ['disks/usage', { path, all: random.once(2), apparent_size: random.once(2), ...shown }],
    () => ['files/chmod', { path, mode: random.pick(['644', 'u+x', '999']), dry_run: true }],
    () => ['files/create', { path, content: 'x', dry_run: true }],
    () => ['files/update', { path, content: 'x', start_line: 1, end_line: 1, dry_run: true }],
  ])();
}

const touches = (path: string, other: string): boolean => path === other || path.startsWith(`${other}/`);

/** Why two answers may differ, or undefined. What changes a file is refused to whoever does not own it. */
function excuse(tool: string, path: string, plain: ToolAnswer): string | undefined {
  if (links.some((link) => touches(path, link))) return 'link';
  if (closed.some((one) => touches(path, one) || touches(one, path))) return 'closed to others';
  const changes = /^files\/(chmod|create|update)$/.test(tool);
  return changes && plain.isError && /permission denied|operation not permitted/.test(plain.text)
    ? 'of another owner'
    : undefined;
}

test('what root does differently is what the kernel kept from the other', { skip }, async (context) => {
  const counts = new Map<string, number>();
  await fuzz(context, { inputs: 300, share: 0.1, warmUp: 100 }, async (random) => {
    const [tool, args] = randomCall(random);
    const [plain, privileged] = await Promise.all([ops.call(tool, args), ops.call(tool, { ...args, privileged: true })]);
    (ops.messages as unknown[]).length = 0;
    const same = plain.text === privileged.text && plain.code === privileged.code;
    const why = same ? 'same' : excuse(tool, String(args['path']), plain);
    assert.ok(why, `${tool} ${JSON.stringify(args)}\n${plain.text}\n-- as root --\n${privileged.text}`);
    counts.set(why, (counts.get(why) ?? 0) + 1);
  });
  context.diagnostic([...counts].map(([why, times]) => `${times} ${why}`).join(', '));
  assert.ok((counts.get('same') ?? 0) > 100);
});
