/** Proves that an edit loses nothing: not what others write meanwhile, and nothing when it is stopped or fails. */
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ProgramRunner } from '../../host/programs.ts';
import { failsWith } from '../../testing/context.ts';
import { realPrograms, runOp, uploadOf } from '../../testing/operations.ts';
import { openDescriptors, withDirectory } from '../../testing/tree.ts';
import type { OpParts } from '../../workers/run.ts';
import { filesUpdate } from './update.ts';

type Args = Omit<Parameters<typeof filesUpdate.run>[0], 'path'>;

const update = (path: string, content: string, args: Args, parts: Partial<OpParts> = {}) =>
  runOp(filesUpdate, { path, ...args }, { upload: uploadOf(content, 3), ...parts });

test('what somebody else writes meanwhile is not lost', () =>
  withDirectory(async (root) => {
    const path = `${root}/log`;
    writeFileSync(path, 'a\nb\n');
    let interruptions = 1;
    const programs: ProgramRunner = {
      run: async (request) => {
        if (interruptions-- > 0) appendFileSync(path, 'appended\n');
        return realPrograms.run(request);
      },
    };
    await update(path, 'X', { start_line: 1, end_line: 1 }, { programs });
    assert.equal(readFileSync(path, 'utf8'), 'X\nb\nappended\n');
    interruptions = Infinity;
    await assert.rejects(
      update(path, 'Y', { start_line: 1, end_line: 1 }, { programs }),
      failsWith('write_file', { reason: 'device or resource busy' }),
    );
    assert.match(readFileSync(path, 'utf8'), /^X\nb\nappended\nappended\n/);
    assert.deepEqual(readdirSync(root), ['log']);
  }));

test('an edit that is stopped or fails leaves the file and its directory as they were', () =>
  withDirectory(async (root) => {
    const path = `${root}/f`;
    writeFileSync(path, 'a\nb\n');
    const before = openDescriptors();
    const controller = new AbortController();
    const stopping: ProgramRunner = {
      run: async (request) => {
        controller.abort();
        return realPrograms.run(request);
      },
    };
    const range = { start_line: 1, end_line: 1 };
    await assert.rejects(update(path, 'X', range, { programs: stopping, signal: controller.signal }), failsWith('cancelled'));
    const broken = { ...uploadOf('X'), chunks: () => failAfter(uploadOf('X').chunks()) };
    await assert.rejects(update(path, '', range, { upload: broken }), failsWith('open_file', { reason: 'input/output error' }));
    assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(root)], ['a\nb\n', ['f']]);
    assert.equal(openDescriptors(), before);
  }));

async function* failAfter(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
  throw Object.assign(new Error('broken'), { code: 'EIO' });
}
