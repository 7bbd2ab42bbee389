/** Proves that content which root writes never runs with the rights of the content before it. */
import assert from 'node:assert/strict';
import { chmodSync, linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { runOp, uploadOf } from '../../testing/operations.ts';
import { withDirectory } from '../../testing/tree.ts';
import { filesCreate } from './create.ts';
import { filesUpdate } from './update.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
const parts = () => ({ privileged: true, upload: uploadOf('new\n') });

const WAYS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'all its content': (path) => runOp(filesCreate, { path }, parts()),
  'something behind it': (path) => runOp(filesUpdate, { path, append: true }, parts()),
  'a line of it': (path) => runOp(filesUpdate, { path, start_line: 1, end_line: 1 }, parts()),
  'a line of it, in place': (path) => {
    linkSync(path, `${path}-other`);
    return runOp(filesUpdate, { path, start_line: 1, end_line: 1 }, parts());
  },
};

for (const [what, write] of Object.entries(WAYS)) {
  test(`a setuid program loses the bit when root writes ${what}`, () =>
    withDirectory(async (root) => {
      for (const [before, after] of [
        [0o6755, '755'],
        [0o2745, '2745'], // without group execution it is no setgid program (inode(7))
        [0o644, '644'],
      ] as const) {
        mkdirSync(`${root}/${after}`);
        const file = `${root}/${after}/program`;
        writeFileSync(file, 'old\n');
        chmodSync(file, before);
        await write(file);
        assert.match(readFileSync(file, 'utf8'), /new\n$/);
        assert.equal(modeOf(file), after);
      }
    }));
}

test('a dry run and a touch leave the mode alone, and the answer says the mode that is', () =>
  withDirectory(async (root) => {
    const path = `${root}/program`;
    writeFileSync(path, 'old\n');
    chmodSync(path, 0o4755);
    const dry = await runOp(filesCreate, { path, dry_run: true }, parts());
    const touched = await runOp(filesCreate, { path }, { privileged: true });
    assert.deepEqual([dry.result.mode, touched.result.mode, modeOf(path)], ['4755', '4755', '4755']);
    const { result } = await runOp(filesCreate, { path }, parts());
    assert.deepEqual([result.mode, modeOf(path)], ['0755', '755']);
  }));
