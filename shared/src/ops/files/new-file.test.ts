/** What is said when the directories above a new file cannot be made. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { resolveAsKernel } from '../../host/resolve.ts';
import { failsWith } from '../../testing/context.ts';
import { runOp, uploadOf } from '../../testing/operations.ts';
import { withDirectory } from '../../testing/tree.ts';
import { filesCreate } from './create.ts';
import { makeParents } from './new-file.ts';

test("a directory that a link leads to is named without saying anything to a terminal: its name is not the caller's", () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/odd\x1b[2J\nname`);
    writeFileSync(`${root}/odd\x1b[2J\nname/file`, '');
    symlinkSync('odd\x1b[2J\nname', `${root}/way`);
    const named = `${root}/odd\\x1b[2J\\nname`;
    await assert.rejects(
      runOp(filesCreate, { path: `${root}/way/file/x` }, { upload: uploadOf('x') }),
      failsWith('create_parents', { path: `${named}/file` }),
    );
    // Gone once the parents are to be made.
    const subject = resolveAsKernel(`${root}/way/new/x`, filesCreate.path ?? assert.fail());
    rmSync(`${root}/odd\x1b[2J\nname`, { recursive: true });
    await assert.rejects(makeParents(subject), failsWith('create_parents', { path: `${named}/new` }));
    subject.close();
  }));
