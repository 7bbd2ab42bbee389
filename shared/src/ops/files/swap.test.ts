/** Proves that nobody gets outside a tree by exchanging directories and links while root works in it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { runOp, uploadOf } from '../../testing/operations.ts';
import { withDirectory } from '../../testing/tree.ts';
import { filesChmod } from './chmod.ts';
import { filesChown } from './chown.ts';
import { filesCreate } from './create.ts';
import { filesRead } from './read.ts';
import { filesUpdate } from './update.ts';

const NEEDS_ROOT = { skip: process.getuid?.() !== 0 && 'needs root' };
const modeOf = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8);
const ownerOf = (path: string): string => `${String(lstatSync(path).uid)}:${String(lstatSync(path).gid)}`;

/** Exchanges a directory and a link to another as fast as it can, until it is killed (renameat2(2), RENAME_EXCHANGE). */
const SWAPPER = `
import ctypes, sys
libc = ctypes.CDLL(None)
a, b = sys.argv[1].encode(), sys.argv[2].encode()
while True:
    if libc.renameat2(-100, a, -100, b, 2): sys.exit(1)
`;

test('whoever swaps directories for links meanwhile wins nothing', { ...NEEDS_ROOT, timeout: 60_000 }, () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/grant/d`, { recursive: true });
    mkdirSync(`${root}/outside`);
    for (const name of ['f', 'g', 'h']) {
      writeFileSync(`${root}/grant/d/${name}`, 'inside');
      writeFileSync(`${root}/outside/${name}`, 'untouched');
      chownSync(`${root}/outside/${name}`, 7, 7);
      chmodSync(`${root}/outside/${name}`, 0o600);
    }
    symlinkSync(`${root}/outside`, `${root}/grant/l`);
    const swapper = spawn('python3', ['-c', SWAPPER, `${root}/grant/d`, `${root}/grant/l`], { stdio: 'ignore' });
    const exited = once(swapper, 'exit');
    let done = 0;
    let refused = 0;
    try {
      const parts = { privileged: true };
      // at least so long, and until the swapper has been at work, however busy the machine is
      for (const end = Date.now() + 2000; Date.now() < end || done <= 10 || refused <= 10;) {
        const path = `${root}/grant/d/f`;
        const calls = [
          () => runOp(filesChmod, { path, mode: done % 2 === 0 ? '644' : '755' }, parts),
          () => runOp(filesChown, { path, owner: done % 2 === 0 ? '4001' : '4002' }, parts),
          () => runOp(filesChown, { path: `${root}/grant`, owner: done % 2 === 0 ? '4003' : '4004', recursive: true }, parts),
          () => runOp(filesRead, { path }, parts),
          () => runOp(filesCreate, { path: `${root}/grant/d/g` }, { ...parts, upload: uploadOf('inside') }),
          () => runOp(filesCreate, { path: `${root}/grant/d/new/${String(done)}` }, { ...parts, upload: uploadOf('inside') }),
          () =>
            runOp(
              filesUpdate,
              { path: `${root}/grant/d/h`, start_line: 1, end_line: 1 },
              { ...parts, upload: uploadOf('inside') },
            ),
          () => runOp(filesUpdate, { path: `${root}/grant/d/f`, append: true }, { ...parts, upload: uploadOf('inside') }),
        ];
        for (const call of calls) {
          const ran = await call().catch(() => undefined);
          if (ran === undefined) refused++;
          else done++;
          assert.ok(ran === undefined || !ran.bytes.includes('untouched'), 'content from outside');
        }
      }
    } finally {
      swapper.kill('SIGKILL');
      assert.deepEqual(await exited, [null, 'SIGKILL'], 'swapped to the end');
    }
    assert.deepEqual(readdirSync(`${root}/outside`), ['f', 'g', 'h']);
    for (const name of ['f', 'g', 'h']) {
      assert.deepEqual([ownerOf(`${root}/outside/${name}`), modeOf(`${root}/outside/${name}`)], ['7:7', '600']);
      assert.equal(readFileSync(`${root}/outside/${name}`, 'utf8'), 'untouched');
    }
  }),
);
