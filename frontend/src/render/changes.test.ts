/** Proves the reports of single and recursive mode and owner changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, iterate } from '../testing/outcome.ts';
import { renderChanges, type ChangeCounts, type ChangedEntry } from './changes.ts';

const NONE: ChangeCounts = { changed: 0, unchanged: 0, symlinks: 0, protected: 0, errors: 0 };
const describe = (entry: ChangedEntry): string => (entry.changed ? 'old -> new' : 'already old, unchanged');

async function text(counts: Partial<ChangeCounts>, entries: readonly ChangedEntry[], recursive = true, dryRun = false) {
  const rendered = renderChanges({ ...NONE, ...counts }, () => iterate(entries), { recursive, dryRun, describe });
  return { text: await collect(rendered.text), isError: rendered.isError };
}

test('one entry', async () => {
  assert.deepEqual(await text({ changed: 1 }, [{ path: '/t/a', changed: true }], false), {
    text: '/t/a: old -> new',
    isError: undefined,
  });
  assert.equal((await text({ unchanged: 1 }, [{ path: '/t/a', changed: false }], false)).text, '/t/a: already old, unchanged');
  assert.equal((await text({ changed: 1 }, [{ path: '/t/a', changed: true }], false, true)).text, 'Dry run: /t/a: old -> new');
});

test('a tree: changes and failures line by line, then the counts', async () => {
  const entries: ChangedEntry[] = [
    { path: '/t', changed: true },
    { path: '/t/same', changed: false },
    { path: '/t/l', changed: false, skipped: 'symlink' },
    { path: '/t/bad', changed: false, error: 'operation not permitted' },
    { path: '/t/x\n/t/y', changed: false, error: 'refused: /t/x\n/t/y' },
    { path: '/t/m\n', changed: false, skipped: 'symlink' },
    { path: '/t/p', changed: false, skipped: 'protected' },
  ];
  const counts = { changed: 1, unchanged: 1, symlinks: 2, protected: 1, errors: 1 };
  const report = `/t: old -> new
/t/bad: operation not permitted
/t/x\\n/t/y: refused: /t/x\\n/t/y
changed 1, unchanged 1, skipped 2 symlink(s) (never followed): /t/l, /t/m\\n, skipped 1 protected, 1 error(s)`;
  assert.deepEqual(await text(counts, entries), { text: report, isError: undefined });
  assert.equal((await text(counts, entries, true, true)).text, `Dry run: ${report.replace('changed 1', 'would change 1')}`);
});

test('a tree without changes', async () => {
  const entries = [{ path: '/t', changed: false }];
  assert.equal((await text({ unchanged: 4 }, entries)).text, 'changed 0, unchanged 4');
  assert.equal((await text({ unchanged: 4 }, entries, true, true)).text, 'Dry run: would change 0, unchanged 4');
});

test('a failure only if every entry failed', async () => {
  const entries = [{ path: '/t', changed: false, error: 'read-only file system' }];
  assert.deepEqual(await text({ errors: 1 }, entries), {
    text: '/t: read-only file system\nchanged 0, unchanged 0, 1 error(s)',
    isError: true,
  });
  assert.equal((await text({ errors: 1, unchanged: 1 }, entries)).isError, undefined);
});
