/** Proves in which directories nobody but root can exchange anything: only there a path is as good as a descriptor. */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { withDirectory } from '../testing/tree.ts';
import { glanceAt, type Glance } from './descriptors.ts';
import { EXT, FileSystemTypes } from './file-system-types.ts';
import { FixedDirectories } from './fixed-directories.ts';

const FUSE = 0x65735546;
const NFS = 0x6969;
const skip = process.getuid?.() !== 0 && "needs root to make what is root's";

const statOf = (path: string): Glance => glanceAt(path) ?? assert.fail(path);

function isFixed(path: string, type = EXT): boolean {
  return new FixedDirectories(new FileSystemTypes(() => type)).has(path, statOf(path));
}

test('directories of root to which nobody else may write, on file systems of the kernel', { skip }, () =>
  withDirectory((root) => {
    const path = `${root}/d`;
    mkdirSync(path);
    const modes = [0o755, 0o700, 0o555, 0o775, 0o757, 0o1777, 0o2755];
    const says = modes.map((mode) => {
      chmodSync(path, mode);
      return isFixed(path);
    });
    assert.deepEqual(says, [true, true, true, false, false, false, true]);
    assert.ok(!isFixed(path, FUSE) && !isFixed(path, NFS), 'there somebody else says who owns what');
    chownSync(path, 12345, 0);
    assert.ok(!isFixed(path), 'its owner may');
    writeFileSync(`${root}/file`, '');
    symlinkSync('/usr', `${root}/link`);
    assert.ok(!isFixed(`${root}/file`) && !isFixed(`${root}/link`));
  }),
);

test('a path holds when all of it does, and leads to the object', { skip }, () =>
  withDirectory((root) => {
    const directories = new FixedDirectories(new FileSystemTypes(() => EXT));
    const holds = (path: string, stat = statOf(path)): boolean => directories.holdsPath(path, stat);
    assert.ok(holds('/') && holds('/usr') && holds('/usr/bin'));
    assert.ok(!holds('/usr', statOf('/usr/bin')), 'another object');
    assert.ok(!holds('/tmp') && !holds(root), 'everybody may write above it');
    mkdirSync(`${root}/d`);
    const stat = statOf(`${root}/d`);
    renameSync(`${root}/d`, `${root}/e`);
    assert.ok(!holds(`${root}/d`, stat), 'moved');
    assert.ok(!holds(`/usr/${'x'.repeat(300)}`, stat) && !holds('/usr/\u00e9', stat) && !holds('/usr (deleted)', stat));
  }),
);
