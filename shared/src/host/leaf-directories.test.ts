/** Proves when a link count is taken for the number of directories: only where the file system is known to count so. */
import assert from 'node:assert/strict';
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { withDirectory } from '../testing/tree.ts';
import { closeAll, openDirectory, openRoot, statHeld } from './descriptors.ts';
import { LeafDirectories } from './leaf-directories.ts';

const EXT = 0xef53;
const XFS = 0x58465342;
const FUSE = 0x65735546;

/** Whether a directory is taken for a leaf, by type of file system. */
function judge(path: string, type?: number): boolean {
  const root = openRoot();
  let fd: number | undefined;
  try {
    fd = openDirectory(root, path.slice(1));
    return new LeafDirectories(type === undefined ? undefined : () => type).has(fd, statHeld(fd));
  } finally {
    closeAll(root, fd);
  }
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
    [1n, EXT],
    [2n, FUSE],
  ]);
  let device = 1n;
  const leaves = new LeafDirectories(() => types.get(device) ?? 0);
  const says = (dev: bigint, nlink: bigint): boolean => {
    device = dev;
    return leaves.has(0, { dev, nlink });
  };
  assert.deepEqual([says(1n, 2n), says(2n, 2n), says(1n, 2n), says(1n, 3n), says(1n, 1n)], [true, false, true, false, false]);
});
