/** Proves that a scan by paths finds what one on descriptors finds, and that it goes by paths nowhere where they could be exchanged. */
import assert from 'node:assert/strict';
import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { disksUsage } from '../ops/disks/usage.ts';
import { filesFind } from '../ops/files/find.ts';
import { runOp } from '../testing/operations.ts';
import { fillTree, openDescriptors } from '../testing/tree.ts';
import { closeAll, glanceAt } from './descriptors.ts';
import { FixedDirectories } from './fixed-directories.ts';
import { Steps, type Reached } from './reached.ts';
import { walkPath } from './walk.ts';

/** Root's alone, as the temporary directory is not. */
const BASE = '/run';
const skip = whyNot();

function whyNot(): string | false {
  if (process.getuid?.() !== 0) return "needs root to make what is root's";
  const base = glanceAt(BASE);
  return base !== undefined && new FixedDirectories().holdsPath(BASE, base)
    ? false
    : `${BASE} is on no file system of the kernel's own`;
}

const SOMEBODY = 12345;

async function withRootsDirectory(use: (root: string) => void | Promise<void>): Promise<void> {
  const root = mkdtempSync(`${BASE}/steward-test-`);
  try {
    await use(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("root's own directories are reached by path, what is below others' on descriptors", { skip }, () =>
  withRootsDirectory((root) => {
    for (const path of ['own/below', 'others/below/deeper', 'o\u00fbt']) mkdirSync(`${root}/${path}`, { recursive: true });
    chownSync(`${root}/others`, SOMEBODY, SOMEBODY);
    symlinkSync('own', `${root}/link`);
    const subject = walkPath(root, { need: 'object', lastLink: 'refuse', use: 'read', failure: 'read_directory' });
    const before = openDescriptors();
    const held: Reached[] = [];
    const below = (steps: Steps, above: Reached, name: string, path: string): Reached => {
      const reached = steps.below(above, name, `${root}/${path}`);
      held.push(reached);
      return reached;
    };
    const byPath = new Steps(true);
    const start = byPath.start(subject.object?.fd ?? -1, root);
    assert.equal(start.at, root);
    const own = below(byPath, start, 'own', 'own');
    assert.equal(below(byPath, own, 'below', 'own/below').at, `${root}/own/below`);
    assert.equal(openDescriptors(), before);
    // nobody can exchange the directory of another account, but he may exchange what is in it
    const others = below(byPath, start, 'others', 'others');
    const deeper = below(byPath, below(byPath, others, 'below', 'others/below'), 'deeper', 'others/below/deeper');
    for (const { fd, at } of [others, deeper, below(byPath, start, 'o\xc3\xbbt', 'o\u00fbt')]) {
      assert.equal(at, `/proc/${process.pid}/fd/${fd}`);
    }
    for (const name of ['link', 'missing']) assert.throws(() => byPath.below(start, name, `${root}/${name}`), /ENOTDIR|ENOENT/);
    const asRoot = new Steps(false);
    assert.notEqual(asRoot.start(subject.object?.fd ?? -1, root).fd, undefined);
    for (const { fd } of held) closeAll(fd);
    assert.equal(openDescriptors(), before);
    subject.close();
  }),
);

test('a scan finds the same by path and on descriptors', { skip }, () =>
  withRootsDirectory(async (root) => {
    fillTree(root, 7, 400);
    mkdirSync(`${root}/${'deep/'.repeat(90)}`, { recursive: true });
    writeFileSync(`${root}/${'deep/'.repeat(90)}end`, 'x'.repeat(5000));
    mkdirSync(`${root}/his/${'deep/'.repeat(90)}`, { recursive: true });
    writeFileSync(`${root}/his/deep/file`, '');
    chownSync(`${root}/his`, SOMEBODY, SOMEBODY);
    const before = openDescriptors();
    const [byPath, held] = [{ privileged: false }, { privileged: true }];
    const found = await runOp(filesFind, { path: root }, byPath);
    assert.ok(found.records.length > 500);
    assert.equal(found.bytes.toString(), (await runOp(filesFind, { path: root }, held)).bytes.toString());
    for (const args of [{ path: root }, { path: root, max_depth: 200, all: true }]) {
      const sums = await runOp(disksUsage, args, byPath);
      const same = await runOp(disksUsage, args, held);
      assert.deepEqual([sums.result, sums.bytes.toString()], [same.result, same.bytes.toString()]);
    }
    assert.equal(openDescriptors(), before);
  }),
);
