/** Proves the order and the records of directory listings, also against ls. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { failsWith } from '../../testing/context.ts';
import { runOp } from '../../testing/operations.ts';
import { fillTree, withDirectory } from '../../testing/tree.ts';
import { filesList } from './list.ts';
import { nameKeys, namesOf, sortKey, withoutHidden } from './list-order.ts';

type Args = Omit<Parameters<typeof filesList.run>[0], 'path'>;

const names = async (path: string, args: Args = {}): Promise<string[]> =>
  (await runOp(filesList, { path, ...args })).records.map(({ name }) => name);

test('names are ordered without regard to case and a leading dot; ties by bytes', () =>
  withDirectory(async (root) => {
    for (const name of ['b', 'B', '.a', 'C', 'é', '.Z', 'a']) writeFileSync(`${root}/${name}`, '');
    mkdirSync(`${root}/m`);
    assert.deepEqual(await names(root), ['a', 'B', 'b', 'C', 'm', 'é']);
    assert.deepEqual(await names(root, { all: true }), ['.', '..', '.a', 'a', 'B', 'b', 'C', 'm', '.Z', 'é']);
    assert.deepEqual(await names(root, { reverse: true }), ['é', 'm', 'C', 'b', 'B', 'a']);
    assert.deepEqual(await names(root, { dirs_first: true }), ['m', 'a', 'B', 'b', 'C', 'é']);
    assert.deepEqual(await names(root, { dirs_first: true, reverse: true }), ['m', 'é', 'C', 'b', 'B', 'a']);
  }));

test('names are ordered alike whether keys are made one by one or many at once', () =>
  withDirectory(async (root) => {
    const some = ['plain', 'x-1', '-x', '.-x', '-X', ' y', '.b', '..b', 'a.b', 'a', 'A', 'tab\t', 'Z_', 'z_', '~', '!', '.!'];
    const keys = (of: readonly string[]): string[] =>
      of.map((name) => sortKey(name, false, undefined, { by: 'name', reverse: false, directoriesFirst: false })).sort();
    // of so many that they are looked at in several parts, only some of which hold a name that has another key
    const many = Array.from({ length: 5000 }, (_, number) => `name-${number % 2500}${number < 2500 ? '' : 'x'}`);
    const late = ['Name-7', '.name-8', '\xe9'].map((name) => [...many, name]);
    for (const list of [some, some.filter((name) => /^[^.A-Z]+$/.test(name)), ['a', 'é', '\xff', 'B'], [], many, ...late]) {
      const expected = namesOf(keys(list));
      for (const alone of [true, false]) assert.deepEqual(namesOf([...nameKeys(list, alone)].flat().sort()), expected);
      const halves = [...nameKeys(list.slice(0, 5), false), ...nameKeys(list.slice(5), false)].flat();
      assert.deepEqual(namesOf(halves.sort()), expected);
    }
    assert.deepEqual(withoutHidden([...many, '.name-8']), many);
    for (const part of nameKeys(many, true)) assert.ok(part.length < many.length, 'no text of all names is made');
    for (const name of some) writeFileSync(`${root}/${name}`, '');
    assert.deepEqual(await names(root, { all: true }), ['.', '..', ...namesOf(keys(some))]);
    assert.deepEqual(await names(root), namesOf(keys(some.filter((name) => !name.startsWith('.')))));
  }));

test('largest and newest come first', () =>
  withDirectory(async (root) => {
    for (const [index, name] of ['x', 'y', 'z', 'y2'].entries()) {
      writeFileSync(`${root}/${name}`, '');
      truncateSync(`${root}/${name}`, [10, 300, 20, 300][index]);
      utimesSync(`${root}/${name}`, 0, new Date([3000, -1000, 2000, 1e9][index] ?? 0));
    }
    assert.deepEqual(await names(root, { sort: 'size' }), ['y', 'y2', 'z', 'x']);
    assert.deepEqual(await names(root, { sort: 'size', reverse: true }), ['x', 'z', 'y2', 'y']);
    assert.deepEqual(await names(root, { sort: 'time' }), ['y2', 'x', 'z', 'y']);
  }));

test('a record has everything that ls shows', () =>
  withDirectory(async (root) => {
    writeFileSync(`${root}/file`, 'hello');
    chmodSync(`${root}/file`, 0o4750);
    utimesSync(`${root}/file`, 0, new Date(2025, 0, 2, 3, 4, 5));
    symlinkSync('/etc/passwd', `${root}/link`);
    const { records, result } = await runOp(filesList, { path: root });
    const [file, link] = records;
    assert.deepEqual([file?.type, file?.mode, file?.mode_octal, file?.size], ['file', '-rwsr-x---', '4750', 5]);
    assert.deepEqual([file?.modified, file?.links, file?.is_dir, file?.target], ['2025-01-02 03:04:05', 1, false, '']);
    assert.deepEqual([link?.type, link?.target, link?.is_dir], ['symlink', '/etc/passwd', false]);
    const [user, group] = execFileSync('stat', ['-c', '%U %G', `${root}/file`])
      .toString()
      .trim()
      .split(' ');
    assert.deepEqual([file?.owner, file?.group], [user, group]);
    const numeric = (await runOp(filesList, { path: root, numeric_ids: true })).records[0];
    assert.deepEqual([numeric?.owner, numeric?.group], [String(file?.uid), String(file?.gid)]);
    const total = execFileSync('ls', ['-l', root], { env: { LC_ALL: 'C' } })
      .toString()
      .split('\n')[0];
    assert.equal(`total ${String(result.blocks_kib)}`, total);
  }));

test('devices have numbers, and awkward names come through', async () => {
  const device = (await runOp(filesList, { path: '/dev' })).records.find(({ name }) => name === 'null');
  assert.deepEqual([device?.type, device?.device], ['char', '1, 3']);
  await withDirectory(async (root) => {
    fillTree(root, 3, 80);
    writeFileSync(Buffer.from(`${root}/bad\xff`, 'latin1'), '');
    const { records } = await runOp(filesList, { path: root, all: true });
    const output = execFileSync('find', [root, '-mindepth', '1', '-maxdepth', '1', '-print0'])
      .toString('latin1')
      .split('\0')
      .slice(0, -1);
    assert.equal(records.length, output.length + 2);
    assert.deepEqual((await runOp(filesList, { path: root, all: true }, { privileged: true })).records, records);
    const bad = records.find(({ name }) => name === 'bad\ufffd');
    assert.equal(Buffer.from(bad?.path_base64 ?? '', 'base64').toString('latin1'), `${root}/bad\xff`);
  });
});

test('what is no directory, or is not there, is an error', () =>
  withDirectory(async (root) => {
    writeFileSync(`${root}/file`, '');
    assert.deepEqual((await runOp(filesList, { path: root })).records.length, 1);
    await assert.rejects(names(`${root}/file`), failsWith('read_directory', { path: `${root}/file`, reason: 'not a directory' }));
    await assert.rejects(names(`${root}/none`), failsWith('read_directory', { reason: 'no such file or directory' }));
    mkdirSync(`${root}/empty`);
    assert.deepEqual((await runOp(filesList, { path: `${root}/empty` })).result, { blocks_kib: 0 });
  }));
