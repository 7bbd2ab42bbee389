/** Proves what disks/usage counts and lists, on real trees. */
import assert from 'node:assert/strict';
import { chmodSync, linkSync, mkdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { makeGuard } from '../../host/guarding.ts';
import { failsWith } from '../../testing/context.ts';
import { runOp } from '../../testing/operations.ts';
import { openDescriptors, withDirectory } from '../../testing/tree.ts';
import { disksUsage, type UsageRecord } from './usage.ts';

const KIB = 1024;

/** Bytes that one object occupies. */
function occupied(path: string): number {
  return statSync(path).blocks * 512;
}

/** `t`: a (8 KiB) with a second name in `sub`, b (100 bytes), sub/deep/c (20 KiB), a link, and an awkward name. */
function makeTree(root: string): string {
  const tree = `${root}/t`;
  mkdirSync(`${tree}/sub/deep`, { recursive: true });
  writeFileSync(`${tree}/a`, Buffer.alloc(8 * KIB, 1));
  linkSync(`${tree}/a`, `${tree}/sub/again`);
  writeFileSync(`${tree}/b`, 'x'.repeat(100));
  writeFileSync(`${tree}/sub/deep/c`, Buffer.alloc(20 * KIB, 1));
  symlinkSync('/usr', `${tree}/link`);
  return tree;
}

function brief(records: readonly UsageRecord[], root: string): string[] {
  return records.map(({ kind, path, size }) => `${kind} ${path.slice(root.length + 1)} ${String(size)}`);
}

test('the total: blocks of everything, each file once, links not followed', () =>
  withDirectory(async (root) => {
    const tree = makeTree(root);
    const paths = ['', '/sub', '/sub/deep', '/a', '/b', '/sub/deep/c'];
    const expected = paths.reduce((sum, path) => sum + occupied(tree + path), 0);
    const { result, records } = await runOp(disksUsage, { path: tree });
    assert.deepEqual(result, { path: tree, total_size: expected, undecodable: 0 });
    assert.deepEqual(records, []);
  }));

test('directories to a depth and files, largest first', () =>
  withDirectory(async (root) => {
    const tree = makeTree(root);
    const { records } = await runOp(disksUsage, { path: tree, max_depth: 1, all: true, apparent_size: true });
    const sub = statSync(`${tree}/sub`).size + statSync(`${tree}/sub/deep`).size;
    const [first, second, ...rest] = brief(records, tree);
    assert.deepEqual([first, second], ['file sub/deep/c 20480', 'file a 8192']);
    assert.deepEqual(rest, ['file b 100', 'file link 4', `directory sub ${String(20 * KIB + sub)}`]);
    const deep = await runOp(disksUsage, { path: tree, max_depth: 5 });
    assert.deepEqual(
      deep.records.map(({ kind, path }) => `${kind} ${path}`),
      [`directory ${tree}/sub`, `directory ${tree}/sub/deep`],
    );
  }));

test('directories without what is below them', () =>
  withDirectory(async (root) => {
    const tree = makeTree(root);
    const { result, records } = await runOp(disksUsage, { path: tree, max_depth: 9, separate_dirs: true });
    const sizes = Object.fromEntries(records.map(({ path, size }) => [path.slice(tree.length), size]));
    assert.equal(sizes['/sub'], occupied(`${tree}/sub`));
    assert.equal(sizes['/sub/deep'], occupied(`${tree}/sub/deep`) + occupied(`${tree}/sub/deep/c`));
    assert.equal(result.total_size, occupied(tree) + occupied(`${tree}/a`) + occupied(`${tree}/b`));
  }));

test('globs leave out by name, and with a slash by path', () =>
  withDirectory(async (root) => {
    const tree = makeTree(root);
    const listed = async (...exclude: string[]) => {
      const { records } = await runOp(disksUsage, { path: tree, all: true, max_depth: 9, exclude });
      return records.map(({ path }) => path.slice(tree.length)).sort();
    };
    assert.deepEqual(await listed('deep', 'a*'), ['/b', '/link', '/sub']);
    assert.deepEqual(await listed(`${tree}/sub/*`), ['/a', '/b', '/link', '/sub']);
    assert.deepEqual(await listed('/sub', 'sub/deep'), await listed());
  }));

test('a threshold hides lines, never changes sums', () =>
  withDirectory(async (root) => {
    const tree = makeTree(root);
    const all = await runOp(disksUsage, { path: tree, all: true, apparent_size: true });
    const large = await runOp(disksUsage, { path: tree, all: true, apparent_size: true, threshold: 8192 });
    const small = await runOp(disksUsage, { path: tree, all: true, apparent_size: true, threshold: -100 });
    assert.deepEqual(brief(large.records, tree).length, 2);
    assert.deepEqual(brief(small.records, tree), ['file b 100', 'file link 4']);
    assert.equal(large.result.total_size, all.result.total_size);
    assert.equal(small.result.total_size, all.result.total_size);
  }));

test('names that are not UTF-8', () =>
  withDirectory(async (root) => {
    const path = Buffer.from(`${root}/\xff\n`, 'latin1');
    mkdirSync(path);
    writeFileSync(Buffer.concat([path, Buffer.from('/f')]), 'x');
    const { result, records } = await runOp(disksUsage, { path: root, all: true, max_depth: 1 });
    assert.equal(result.undecodable, 2);
    assert.equal(records[1]?.path, `${root}/\ufffd\n`);
    assert.equal(Buffer.from(records[1].path_base64 ?? '', 'base64').equals(path), true);
  }));

test('a file, a link to a directory, and what cannot be reached', () =>
  withDirectory(async (root) => {
    const tree = makeTree(root);
    assert.equal((await runOp(disksUsage, { path: `${tree}/a` })).result.total_size, occupied(`${tree}/a`));
    assert.equal((await runOp(disksUsage, { path: `${tree}/b`, apparent_size: true })).result.total_size, 100);
    symlinkSync(`${tree}/sub/deep`, `${root}/way`);
    const through = await runOp(disksUsage, { path: `${root}/way` });
    assert.equal(through.result.total_size, (await runOp(disksUsage, { path: `${tree}/sub/deep` })).result.total_size);
    await assert.rejects(runOp(disksUsage, { path: `${root}/way` }, { privileged: true }), failsWith('symlink_refused'));
    const gone = failsWith('access_path', { path: `${root}/no`, reason: 'no such file or directory' });
    await assert.rejects(runOp(disksUsage, { path: `${root}/no` }), gone);
  }));

test('protected directories and files are passed over, under any name', () =>
  withDirectory(async (root) => {
    const tree = makeTree(root);
    mkdirSync(`${tree}/secret`);
    writeFileSync(`${tree}/secret/key`, Buffer.alloc(64 * KIB, 1));
    writeFileSync(`${tree}/cert`, Buffer.alloc(32 * KIB, 1));
    const before = (await runOp(disksUsage, { path: tree, all: true })).result.total_size;
    linkSync(`${tree}/secret/key`, `${tree}/sub/known`);
    const guard = makeGuard({ trees: [`${tree}/secret`, `${tree}/cert`], readOnly: [], pids: [] });
    const { result, records } = await runOp(disksUsage, { path: tree, all: true, max_depth: 3 }, { guard });
    assert.deepEqual(
      records.filter(({ path }) => /secret|known|cert/.test(path)),
      [],
    );
    assert.equal(
      result.total_size,
      before - occupied(`${tree}/secret`) - occupied(`${tree}/secret/key`) - occupied(`${tree}/cert`),
    );
    await assert.rejects(runOp(disksUsage, { path: `${tree}/secret` }, { guard }), failsWith('protected_object'));
  }));

test('a very deep tree holds few descriptors and leaves none', () =>
  withDirectory(async (root) => {
    let path = root;
    for (let depth = 0; depth < 300; depth++) mkdirSync((path = `${path}/d`));
    writeFileSync(`${path}/f`, 'x'.repeat(5000));
    const before = openDescriptors();
    const { result, records } = await runOp(disksUsage, { path: root, max_depth: 400, apparent_size: true });
    assert.equal(records.length, 300);
    assert.equal(records[0]?.path, `${root}/d`);
    assert.equal(result.total_size, records[0].size + statSync(root).size);
    assert.equal(openDescriptors(), before);
  }));

test('what may not be read counts nothing', { skip: process.getuid?.() !== 0 && 'needs root to be somebody else' }, () =>
  withDirectory(async (root) => {
    const tree = makeTree(root);
    const open = (await runOp(disksUsage, { path: tree })).result.total_size;
    const closed = (await runOp(disksUsage, { path: `${tree}/sub/deep` })).result.total_size;
    chmodSync(root, 0o755);
    chmodSync(`${tree}/sub/deep`, 0o700);
    process.seteuid?.(65534);
    try {
      const { result, records } = await runOp(disksUsage, { path: tree, max_depth: 9 });
      assert.equal(result.total_size, open - closed);
      assert.deepEqual(
        records.map(({ path }) => path),
        [`${tree}/sub`],
      );
      await assert.rejects(
        runOp(disksUsage, { path: `${tree}/sub/deep` }),
        failsWith('access_path', { reason: 'permission denied', errno: 'EACCES' }),
      );
    } finally {
      process.seteuid?.(0);
    }
  }),
);

test('a sparse file occupies little and appears large', () =>
  withDirectory(async (root) => {
    writeFileSync(`${root}/s`, '');
    truncateSync(`${root}/s`, 2 ** 40);
    assert.ok((await runOp(disksUsage, { path: `${root}/s` })).result.total_size < 2 ** 20);
    assert.equal((await runOp(disksUsage, { path: `${root}/s`, apparent_size: true })).result.total_size, 2 ** 40);
  }));

test('stops when it is told to', () =>
  withDirectory(async (root) => {
    const signal = AbortSignal.abort();
    await assert.rejects(runOp(disksUsage, { path: makeTree(root) }, { signal }));
  }));
