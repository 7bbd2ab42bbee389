/** Proves that a long search and a long answer leave the memory of both daemons small, on either side. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import type { SseClient } from '../support/sse-client.ts';

const DIRECTORIES = 400;
const FILES_EACH = 50;
const ENTRIES = DIRECTORIES * (FILES_EACH + 1);
/** Characters before the path in a line of the answer. */
const SIZE_WIDTH = 11;
/** Highest resident memory of either daemon, in bytes, whatever the size of a tree. */
const MOST_MEMORY = 200e6;

let pair: Pair;
let ops: SseClient;
let tree: string;

before(async () => {
  tree = mkdtempSync(join(tmpdir(), 'steward-walk-'));
  chmodSync(tree, 0o755);
  for (let directory = 0; directory < DIRECTORIES; directory++) {
    const path = join(tree, `group-${directory % 20}`, `directory-${directory}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < FILES_EACH; file++) writeFileSync(join(path, `file-${file}`), '');
  }
  pair = await startPair({
    grants: `  ops:\n    tools:\n      files/find: {allowed: true, paths: [${tree}]}\n`,
    daemon: 'limits: {timeout_seconds: 300}\n',
  });
  ops = await pair.connect('ops');
});
after(async () => {
  await pair.stop();
  rmSync(tree, { recursive: true, force: true });
});

function peak(title: 'steward-broker' | 'steward-frontend'): number {
  const status = readFileSync(`/proc/${pair.pids(title)[0] ?? 0}/status`, 'latin1');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** What is found, in order: two threads share the search, and neither order nor number may show it. */
async function found(args: Record<string, unknown>): Promise<string[]> {
  const { text, isError } = await ops.call('files/find', { path: tree, ...args });
  assert.equal(isError, false, text);
  return text.split('\n').map((line) => line.slice(SIZE_WIDTH));
}

test('a search of a large tree tells everything in order and stays small', { timeout: 120_000 }, async () => {
  const all = await found({});
  assert.equal(all.length, ENTRIES + 20 + 1);
  assert.deepEqual(all, all.toSorted());
  assert.deepEqual(
    await found({ name: '*-49' }),
    all.filter((path) => path.endsWith('-49')),
  );
  assert.ok(peak('steward-frontend') < MOST_MEMORY, String(peak('steward-frontend')));
});

test('as root it is the same', { timeout: 120_000, skip: !isRoot && 'needs root for a broker of its own' }, async () => {
  assert.deepEqual(await found({ privileged: true }), await found({}));
  assert.ok(peak('steward-broker') < MOST_MEMORY, String(peak('steward-broker')));
});
