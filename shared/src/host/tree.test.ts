/** Proves the order, completeness and safety of the tree walk, and that its memory and descriptors do not grow with the tree. */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { failsWith } from '../testing/context.ts';
import { fillTree, openDescriptors, withDirectory } from '../testing/tree.ts';
import { makeGuard } from './guarding.ts';
import { SortBudget } from './sorting.ts';
import { walkTree, type TreeEntry, type TreeOptions } from './tree.ts';
import { walkPath } from './walk.ts';

const SPEC = { need: 'object', lastLink: 'object', use: 'read', failure: 'open_file' } as const;

function withWalk<T>(root: string, more: Partial<TreeOptions>, use: (entries: Generator<TreeEntry>) => T): T {
  const subject = walkPath(root, SPEC);
  try {
    const options: TreeOptions = {
      fd: subject.object?.fd ?? -1,
      path: root,
      realPath: root,
      guard: makeGuard({ trees: [], readOnly: [], pids: [] }),
      use: 'read',
      context: { signal: new AbortController().signal },
      ...more,
    };
    return use(walkTree(options));
  } finally {
    subject.close();
  }
}

const pathsOf = (root: string, more: Partial<TreeOptions> = {}): string[] =>
  withWalk(root, more, (entries) => [...entries].map((entry) => (entry.failure === undefined ? entry.path : `!${entry.path}`)));

test('entries come in byte order of their full path, in memory and through the file', () =>
  withDirectory((root) => {
    fillTree(root, 5, 400);
    const before = openDescriptors();
    const paths = pathsOf(root);
    assert.ok(paths.length > 300);
    assert.deepEqual(paths, paths.toSorted());
    assert.equal(new Set(paths).size, paths.length);
    assert.deepEqual(pathsOf(root, { budget: new SortBudget(200) }), paths);
    assert.equal(openDescriptors(), before);
  }));

test('a directory is told as its name and entered as its name with a slash', () =>
  withDirectory((root) => {
    mkdirSync(`${root}/a/x`, { recursive: true });
    for (const name of ['a-b', 'a.txt', 'a/x/y', 'b']) writeFileSync(`${root}/${name}`, '');
    const relative = pathsOf(root).map((path) => path.slice(root.length));
    assert.deepEqual(relative, ['', '/a', '/a-b', '/a.txt', '/a/x', '/a/x/y', '/b']);
    assert.deepEqual(
      pathsOf(root, { maxDepth: 1 }).map((path) => path.slice(root.length)),
      ['', '/a', '/a-b', '/a.txt', '/b'],
    );
    assert.deepEqual(pathsOf(root, { skips: (path) => path.endsWith('/x') }).slice(-2), [`${root}/a/x`, `${root}/b`]);
  }));

test('links are told, never entered; protected directories too', () =>
  withDirectory((root) => {
    mkdirSync(`${root}/d/e`, { recursive: true });
    symlinkSync('d', `${root}/link`);
    symlinkSync('.', `${root}/d/loop`);
    assert.deepEqual(
      pathsOf(root).map((path) => path.slice(root.length)),
      ['', '/d', '/d/e', '/d/loop', '/link'],
    );
    const guard = makeGuard({ trees: [`${root}/d`], readOnly: [], pids: [] });
    assert.deepEqual(
      pathsOf(root, { guard }).map((path) => path.slice(root.length)),
      ['', '/d', '/link'],
    );
  }));

test('a depth of 400 is walked with few descriptors', () =>
  withDirectory((root) => {
    // deeper than a path may be long is possible too: made through short paths
    const parts = Array.from({ length: 400 }, (_, index) => `d${String(index)}`);
    mkdirSync(`${root}/${parts.join('/')}`, { recursive: true });
    writeFileSync(`${root}/${parts.slice(0, 200).join('/')}/zz`, '');
    const before = openDescriptors();
    let most = 0;
    const paths = withWalk(root, {}, (entries) => {
      const seen: string[] = [];
      for (const entry of entries) {
        seen.push(entry.path);
        if (seen.length % 50 === 0) most = Math.max(most, openDescriptors() - before);
      }
      return seen;
    });
    assert.equal(paths.length, 402);
    assert.ok(paths.at(-1)?.endsWith('/d199/zz'), 'the walk came back up');
    assert.ok(most > 0 && most < 80, String(most));
    assert.equal(openDescriptors(), before);
  }));

test('a directory that was moved away during the walk is said to be so, and nothing else is touched', () =>
  withDirectory((root) => {
    const parts = Array.from({ length: 100 }, (_, index) => `d${String(index)}`);
    mkdirSync(`${root}/top/${parts.join('/')}`, { recursive: true });
    mkdirSync(`${root}/elsewhere`);
    writeFileSync(`${root}/top/d0/zz`, '');
    const told = withWalk(`${root}/top`, {}, (entries) => {
      const seen: string[] = [];
      for (const entry of entries) {
        if (entry.path.endsWith('/d99')) renameSync(`${root}/top/d0/d1`, `${root}/elsewhere/d1`);
        const failure = entry.failure as NodeJS.ErrnoException | undefined;
        if (failure !== undefined) seen.push(`${entry.path.slice(root.length)} ${failure.code ?? ''}`);
        assert.ok(entry.depth === 0 || entry.failure !== undefined || entry.directory !== undefined);
        assert.ok(!entry.path.endsWith('zz'), 'not reached any more');
      }
      return seen;
    });
    assert.deepEqual(told, ['/top/d0 ESTALE', '/top ESTALE']);
  }));

test('a walk that is stopped or abandoned leaves nothing open', () =>
  withDirectory((root) => {
    fillTree(root, 9, 100);
    const before = openDescriptors();
    withWalk(root, {}, (entries) => {
      for (const entry of entries) if (entry.depth > 1) break;
    });
    const controller = new AbortController();
    const context = { signal: controller.signal };
    assert.throws(
      () =>
        withWalk(root, { context }, (entries) => {
          for (const entry of entries) if (entry.depth > 1) controller.abort();
        }),
      failsWith('cancelled'),
    );
    assert.equal(openDescriptors(), before);
  }));

test('100,000 entries in one directory', { timeout: 120_000 }, () =>
  withDirectory((root) => {
    for (let index = 0; index < 100_000; index++) writeFileSync(`${root}/entry-${String(index)}`, '');
    const budget = new SortBudget(1024 * 1024);
    let count = 0;
    let last = '';
    withWalk(root, { budget }, (entries) => {
      for (const entry of entries) {
        assert.ok(entry.path > last);
        last = entry.path;
        count++;
        if (count % 1000 === 0) assert.ok(budget.held <= budget.limit);
      }
    });
    assert.equal(count, 100_001);
  }),
);
