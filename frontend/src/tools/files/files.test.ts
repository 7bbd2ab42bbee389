/** Proves the texts of the files tools. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonArray } from '../../render/json.ts';
import { collect, optionsOf, outcomeOf, textOf } from '../../testing/outcome.ts';
import { filesChmodTool } from './chmod.ts';
import { filesChownTool } from './chown.ts';
import { filesCreateTool } from './create.ts';
import { filesFiletypeTool } from './filetype.ts';
import { filesFindTool } from './find.ts';
import { filesListTool } from './list.ts';
import { filesReadTool } from './read.ts';
import { filesUpdateTool } from './update.ts';

const SHA = 'ab'.repeat(32);

test('files/list', async () => {
  const record = {
    name: 'hosts',
    type: 'file',
    mode: '-rw-r--r--',
    mode_octal: '0644',
    links: 1,
    owner: 'root',
    group: 'root',
    uid: 0,
    gid: 0,
    size: 811,
    modified: '2020-01-02 10:00:00',
    is_dir: false,
    target: '',
  } as const;
  const outcome = outcomeOf({ blocks_kib: 4 }, [record]);
  const text = (args: { long?: boolean }) => textOf(filesListTool.text(outcome, optionsOf({ path: '/etc', ...args })));
  assert.equal(await text({}), 'total 4\n-rw-r--r-- 1 root root 811 Jan  2  2020 hosts');
  assert.equal(await text({ long: false }), 'hosts');
  assert.deepEqual(JSON.parse(await collect(jsonArray(outcome.records()))), [record]);
});

function read(summary: { truncated: boolean; at: number; size: number | null; next: number; sha256?: string }, content: string) {
  return filesReadTool.text(outcomeOf(summary, [], [Buffer.from(content)]), optionsOf({ path: '/t/a' }));
}

test('files/read gives the content and nothing else', async () => {
  const rendered = read({ truncated: false, at: 4, size: 4, next: 4, sha256: SHA }, 'a\nb\n');
  assert.equal(await textOf(rendered), 'a\nb\n');
  assert.deepEqual(rendered.meta, { 'steward/sha256': SHA });
  assert.equal(await textOf(read({ truncated: false, at: 0, size: 0, next: 0 }, '')), '');
});

test('files/read says where a cap cut it', async () => {
  const rendered = read({ truncated: true, at: 10240, size: 20000, next: 10240 }, 'x');
  assert.equal(
    await textOf(rendered),
    'x\n\n[WARNING: File truncated at 10240 bytes of 20000; continue with offset: 10240, or give start_line/end_line or limit.]',
  );
  assert.equal(rendered.meta, undefined);
  assert.match(await textOf(read({ truncated: true, at: 9, size: null, next: 19 }, 'x')), /at 9 bytes of unknown; .*offset: 19,/);
});

test('files/create', async () => {
  const unhashed = { path: '/t/a', size: 12, old_size: 300, directories: 0, mode: '0644' };
  const base = { ...unhashed, sha256: SHA };
  type Created = Parameters<typeof filesCreateTool.text>[0]['result'];
  const render = (given: Pick<Created, 'action' | 'dry_run'> & Partial<Created>) =>
    filesCreateTool.text(outcomeOf({ ...base, ...given }), optionsOf({ path: '/t/a' }));
  const text = (given: Pick<Created, 'action' | 'dry_run'> & Partial<Created>) => textOf(render(given));
  assert.equal(await text({ action: 'create', dry_run: false }), 'Successfully created and wrote to /t/a');
  assert.equal(await text({ action: 'replace', dry_run: false }), 'Successfully created and wrote to /t/a');
  assert.equal(await text({ action: 'touch', dry_run: false, path: '/t/a\n' }), 'Successfully touched /t/a\\n');
  assert.equal(await text({ action: 'create', dry_run: true }), 'Dry run: would create /t/a (12 bytes, mode 0644)');
  assert.equal(
    await text({ action: 'create', dry_run: true, directories: 1 }),
    'Dry run: would create /t/a (12 bytes, mode 0644) and 1 directory',
  );
  assert.match(await text({ action: 'create', dry_run: true, directories: 2 }), / and 2 directories$/);
  assert.equal(await text({ action: 'replace', dry_run: true }), 'Dry run: would replace /t/a (300 -> 12 bytes)');
  assert.equal(await text({ action: 'touch', dry_run: true }), 'Dry run: would touch /t/a');
  assert.equal(
    await text({ action: 'touch', dry_run: true, directories: 1 }),
    'Dry run: would touch /t/a and create 1 directory',
  );
  assert.deepEqual(render({ action: 'create', dry_run: false }).meta, { 'steward/sha256': SHA });
  const touched = outcomeOf({ ...unhashed, action: 'touch' as const, dry_run: false });
  assert.equal(filesCreateTool.text(touched, optionsOf({ path: '/t/a' })).meta, undefined);
});

test('files/update', async () => {
  const base = { path: '/t/a', start: 2, end: 3, old_lines: 2, new_lines: 1, sha256: SHA };
  type Updated = Parameters<typeof filesUpdateTool.text>[0]['result'];
  const render = (given: Pick<Updated, 'action' | 'dry_run'> & Partial<Updated>) =>
    filesUpdateTool.text(outcomeOf({ ...base, ...given }), optionsOf({ path: '/t/a' }));
  const text = (given: Pick<Updated, 'action' | 'dry_run'> & Partial<Updated>) => textOf(render(given));
  assert.equal(await text({ action: 'append', dry_run: false }), 'Successfully appended to /t/a');
  assert.equal(await text({ action: 'replace', dry_run: false }), 'Successfully updated lines 2-3 in /t/a');
  assert.equal(
    await text({ action: 'replace', dry_run: true }),
    `Dry run: would replace lines 2-3 of /t/a (2 lines become 1); sha256 now ${SHA}`,
  );
  assert.match(await text({ action: 'replace', dry_run: true, old_lines: 1, new_lines: 4 }), /\(1 line becomes 4\)/);
  assert.equal(await text({ action: 'append', dry_run: true }), `Dry run: would append to /t/a; sha256 now ${SHA}`);
  assert.deepEqual(render({ action: 'append', dry_run: false }).meta, { 'steward/sha256': SHA });
});

test('files/find', async () => {
  const outcome = outcomeOf({}, [
    { path: '/t', size: 4096, type: 'd' as const },
    { path: '/t/a', size: 20480, type: 'f' as const },
    { path: '/t/b\n', size: 12345678901, type: 'f' as const },
  ]);
  const text = (human: boolean) => textOf(filesFindTool.text(outcome, optionsOf({}, { human })));
  assert.equal(await text(false), '           /t\n20480      /t/a\n12345678901 /t/b\\n');
  assert.equal(await text(true), '           /t\n20.0 KiB   /t/a\n11.5 GiB   /t/b\\n');
  assert.equal(await textOf(filesFindTool.text(outcomeOf({}), optionsOf({}))), '');
});

test('files/filetype', async () => {
  assert.equal(await textOf(filesFiletypeTool.text(outcomeOf({ mime: 'image/png' }), optionsOf({ path: '/t' }))), 'image/png');
});

const COUNTS = { changed: 1, unchanged: 0, symlinks: 0, protected: 0, errors: 0 };

test('files/chmod', async () => {
  const entry = { path: '/t/a', old: '0644', old_mode: '-rw-r--r--', new: '0744', new_mode: '-rwxr--r--', changed: true };
  const text = (given: Partial<typeof entry>, args: object = {}) =>
    textOf(
      filesChmodTool.text(
        outcomeOf({ ...COUNTS, dry_run: false }, [{ ...entry, ...given }]),
        optionsOf({ path: '/t/a', mode: '744', ...args }),
      ),
    );
  assert.equal(await text({}), '/t/a: 0644 (-rw-r--r--) -> 0744 (-rwxr--r--)');
  assert.equal(await text({ changed: false }), '/t/a: mode already 0644 (-rw-r--r--), unchanged');
  assert.equal(await text({}, { dry_run: true }), 'Dry run: /t/a: 0644 (-rw-r--r--) -> 0744 (-rwxr--r--)');
  assert.match(await text({}, { recursive: true }), /\nchanged 1, unchanged 0$/);
  assert.deepEqual(filesChmodTool.prepare?.({ mode: 755, path: '/' }), { mode: '755', path: '/' });
  assert.deepEqual(filesChmodTool.prepare?.({ mode: 7.5 }), { mode: 7.5 });
  assert.deepEqual(filesChmodTool.prepare?.({}), {});
});

test('files/chown', async () => {
  const entry = { path: '/t/a', old: 'root:root', new: 'root:adm', changed: true };
  const text = (given: Partial<typeof entry>, args: object = {}) =>
    textOf(
      filesChownTool.text(
        outcomeOf({ ...COUNTS, dry_run: false }, [{ ...entry, ...given }]),
        optionsOf({ path: '/t/a', owner: ':adm', ...args }),
      ),
    );
  assert.equal(await text({}), '/t/a: root:root -> root:adm');
  assert.equal(await text({ changed: false }), '/t/a: owner already root:root, unchanged');
  assert.match(await text({}, { recursive: true, dry_run: true }), /^Dry run: .*\nwould change 1, unchanged 0$/);
});
