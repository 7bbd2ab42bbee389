/** Proves when a link count is taken for the number of directories: only where the file system is known to count so. */
import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { withDirectory } from '../testing/tree.ts';
import { EXT, FileSystemTypes, XFS } from './file-system-types.ts';
import { LeafDirectories } from './leaf-directories.ts';

const FUSE = 0x65735546;

/** Whether a directory is taken for a leaf, by type of file system. */
function judge(path: string, type?: number): boolean {
  const types = type === undefined ? undefined : new FileSystemTypes(() => type);
  return new LeafDirectories(types).has(path, lstatSync(path));
}

test('a directory without directories is a leaf where links are counted, however many files it has, and nowhere else', () =>
  withDirectory((root) => {
    const isCounting = [EXT, XFS].includes(statfsSync(root).type);
    for (const made of ['leaf', 'above/below']) mkdirSync(`${root}/${made}`, { recursive: true });
    writeFileSync(`${root}/leaf/file`, '');
    assert.deepEqual(
      ['leaf', 'above', 'above/below'].map((name) => judge(`${root}/${name}`)),
      [isCounting, false, isCounting],
    );
  }));

test('what other file systems say of links is not believed', () =>
  withDirectory((root) => {
    assert.ok(!judge(root, FUSE));
    for (const path of ['/proc', '/proc/self/fd', '/sys']) assert.ok(!judge(path), path);
  }));

test('each file system is asked for itself', () => {
  const types = new Map([
    [1, EXT],
    [2, FUSE],
  ]);
  let device = 1;
  const leaves = new LeafDirectories(new FileSystemTypes(() => types.get(device) ?? 0));
  const says = (dev: number, nlink: number): boolean => {
    device = dev;
    return leaves.has('/', { dev, nlink });
  };
  assert.deepEqual([says(1, 2), says(2, 2), says(1, 2), says(1, 3), says(1, 1)], [true, false, true, false, false]);
});
