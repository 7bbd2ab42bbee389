/** Proves files/update: the arithmetic of ranges, that attributes stay, and that an edit is whole or not there. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { StewardError } from '../../errors.ts';
import type { ProgramRunner } from '../../host/programs.ts';
import { failsWith } from '../../testing/context.ts';
import { realPrograms, runOp, uploadOf } from '../../testing/operations.ts';
import { random, withDirectory } from '../../testing/tree.ts';
import type { OpParts } from '../../workers/run.ts';
import { filesUpdate } from './update.ts';

type Args = Omit<Parameters<typeof filesUpdate.run>[0], 'path'>;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const update = (path: string, content: string, args: Args, parts: Partial<OpParts> = {}) =>
  runOp(filesUpdate, { path, ...args }, { upload: uploadOf(content, content.length > 100 ? 9999 : 3), ...parts });

/** A host without cp: every edit is made in place. */
const noPrograms: ProgramRunner = {
  run: ({ program }) => Promise.reject(new StewardError('program_missing', { program })),
};
const WAYS: readonly [string, ProgramRunner][] = [
  ['by a new file', realPrograms],
  ['in place', noPrograms],
];

const CASES: readonly [before: string, start: number, end: number, content: string, after: string][] = [
  ['a\nb\nc\n', 2, 2, 'X', 'a\nX\nc\n'],
  ['a\nb\nc\n', 2, 3, 'X\nY\nZ\n', 'a\nX\nY\nZ\n'],
  ['a\nb\nc\n', 1, 1, 'X\n\n', 'X\n\nb\nc\n'],
  ['a\nb\nc\n', 2, 2, '', 'a\n\nc\n'],
  ['a\nb\nc\n', 2, 99, 'X', 'a\nX\n'],
  ['a\nb\nc', 3, 3, 'X', 'a\nb\nX\n'],
  ['a\nb\nc', 1, 1, 'X', 'X\nb\nc'],
  ['a\nb', 9, 9, 'X', 'a\nb\nX\n'],
  ['a\nb\n', 3, 3, 'X', 'a\nb\nX\n'],
  ['', 1, 1, 'X', 'X\n'],
  ['', 5, 7, 'X\n', 'X\n'],
  ['a\r\nb\r\n', 1, 1, 'X', 'X\nb\r\n'],
];

for (const [way, programs] of WAYS) {
  test(`ranges of lines, ${way}`, () =>
    withDirectory(async (root) => {
      for (const [before, start, end, content, after] of CASES) {
        writeFileSync(`${root}/f`, before);
        const { result } = await update(`${root}/f`, content, { start_line: start, end_line: end }, { programs });
        assert.equal(readFileSync(`${root}/f`, 'utf8'), after, JSON.stringify([before, start, end, content]));
        assert.equal(result.sha256, sha256(after));
      }
      assert.deepEqual(readdirSync(root), ['f']);
    }));

  test(`random edits of longer files, ${way}`, () =>
    withDirectory(async (root) => {
      const next = random(17);
      for (let round = 0; round < 15; round++) {
        const lines = Array.from(
          { length: 1 + Math.floor(next() * 9000) },
          (_, index) => `line ${String(index)} ${'é'.repeat(Math.floor(next() * 20))}`,
        );
        const start = 1 + Math.floor(next() * lines.length);
        const end = start + Math.floor(next() * 500);
        const content = Array.from({ length: 1 + Math.floor(next() * 3000) }, (_, index) => `new ${String(index)}`);
        writeFileSync(`${root}/f`, `${lines.join('\n')}\n`);
        const { result } = await update(`${root}/f`, content.join('\n'), { start_line: start, end_line: end }, { programs });
        const expected = [...lines.slice(0, start - 1), ...content, ...lines.slice(end)];
        assert.ok(readFileSync(`${root}/f`, 'utf8') === `${expected.join('\n')}\n`, `${String(start)}-${String(end)}`);
        const last = Math.min(end, lines.length);
        assert.deepEqual([result.start, result.end], [start, last]);
        assert.deepEqual([result.old_lines, result.new_lines], [last - start + 1, content.length]);
      }
    }));
}

test('mode, owner and extended attributes stay; the file is a new one', { skip: process.getuid?.() !== 0 && 'needs root' }, () =>
  withDirectory(async (root) => {
    writeFileSync(`${root}/f`, 'a\nb\n');
    execFileSync('chown', ['1234:4321', `${root}/f`]);
    chmodSync(`${root}/f`, 0o2741);
    const before = statSync(`${root}/f`);
    await update(`${root}/f`, 'X', { start_line: 1, end_line: 1 }, { privileged: true });
    const after = statSync(`${root}/f`);
    assert.notEqual(after.ino, before.ino);
    assert.deepEqual([after.uid, after.gid, after.mode], [1234, 4321, before.mode]);
    assert.equal(readFileSync(`${root}/f`, 'utf8'), 'X\nb\n');
  }),
);

test('in place where a new file will not do: several links, a name too long, attributes that cannot be kept', () =>
  withDirectory(async (root) => {
    const range = { start_line: 1, end_line: 1 };
    const stays = async (name: string, programs = realPrograms): Promise<void> => {
      const { ino } = statSync(`${root}/${name}`);
      await update(`${root}/${name}`, 'X', range, { programs });
      assert.equal(statSync(`${root}/${name}`).ino, ino);
      assert.equal(readFileSync(`${root}/${name}`, 'utf8'), 'X\nb\n');
    };
    writeFileSync(`${root}/linked`, 'a\nb\n');
    linkSync(`${root}/linked`, `${root}/other`);
    await stays('linked');
    const long = 'n'.repeat(240);
    writeFileSync(`${root}/${long}`, 'a\nb\n');
    await stays(long);
    writeFileSync(`${root}/plain`, 'a\nb\n');
    await stays('plain', { run: async (request) => ({ ...(await realPrograms.run(request)), status: 1 }) });
    // a cp that leaves the mode as it is must not count
    chmodSync(`${root}/plain`, 0o751);
    writeFileSync(`${root}/plain`, 'a\nb\n');
    await stays('plain', {
      run: () => Promise.resolve({ status: 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), truncated: false }),
    });
    assert.deepEqual(readdirSync(root).toSorted(), ['linked', long, 'other', 'plain'].toSorted());
  }));

test('appending adds exactly the content, and makes the file but not its directory', () =>
  withDirectory(async (root) => {
    const before = process.umask(0o077);
    try {
      const { result } = await update(`${root}/new`, 'one', { append: true, start_line: 5 });
      assert.deepEqual([result.action, result.sha256], ['append', sha256('one')]);
    } finally {
      process.umask(before);
    }
    assert.equal((statSync(`${root}/new`).mode & 0o7777).toString(8), '644');
    assert.equal((await update(`${root}/new`, ' two\n', { append: true })).result.sha256, sha256('one two\n'));
    await update(`${root}/new`, '', { append: true });
    assert.equal(readFileSync(`${root}/new`, 'utf8'), 'one two\n');
    await assert.rejects(
      update(`${root}/no/file`, 'x', { append: true }),
      failsWith('open_file', { reason: 'no such file or directory' }),
    );
  }));

test('arguments that do not fit are refused', () =>
  withDirectory(async (root) => {
    const path = `${root}/f`;
    writeFileSync(path, 'a\n');
    for (const args of [{}, { start_line: 1 }, { end_line: 2 }, { start_line: 0, end_line: 3 }]) {
      await assert.rejects(update(path, 'x', args), failsWith('update_selection'));
    }
    await assert.rejects(update(path, 'x', { start_line: 3, end_line: 2 }), failsWith('line_range', { start: 3, end: 2 }));
    await assert.rejects(update(path, 'x', { append: true, if_sha256: 'zz' }), failsWith('sha256_malformed'));
    await assert.rejects(runOp(filesUpdate, { path, append: true }), failsWith('argument_required', { name: 'content' }));
    await assert.rejects(
      update(`${root}/no`, 'x', { start_line: 1, end_line: 1 }),
      failsWith('open_file', { path: `${root}/no` }),
    );
    await assert.rejects(update(root, 'x', { append: true }), failsWith('open_file', { reason: 'is a directory' }));
    await assert.rejects(update('/dev/null', 'x', { append: true }), failsWith('not_regular'));
    symlinkSync('f', `${root}/link`);
    for (const privileged of [false, true]) {
      for (const args of [{ append: true }, { start_line: 1, end_line: 1 }]) {
        await assert.rejects(update(`${root}/link`, 'x', args, { privileged }), failsWith('symlink_refused', { target: 'f' }));
      }
    }
    assert.equal(readFileSync(path, 'utf8'), 'a\n');
  }));

test('if_sha256 and dry runs', () =>
  withDirectory(async (root) => {
    const path = `${root}/f`;
    writeFileSync(path, 'a\nb\nc\n');
    const range = { start_line: 2, end_line: 9 };
    const dry = await update(path, 'X\nY\nZ', { ...range, dry_run: true });
    assert.deepEqual(dry.result, {
      action: 'replace',
      path,
      start: 2,
      end: 3,
      old_lines: 2,
      new_lines: 3,
      sha256: sha256('a\nb\nc\n'),
      dry_run: true,
    });
    assert.equal(dry.begun, 0);
    const plain = await update(path, 'X', { append: true, dry_run: true });
    assert.deepEqual([plain.result.sha256, plain.begun], [sha256('a\nb\nc\n'), 0]);
    const expected = sha256('other');
    for (const args of [range, { append: true }]) {
      await assert.rejects(
        update(path, 'X', { ...args, if_sha256: expected }),
        failsWith('file_changed', { actual: sha256('a\nb\nc\n') }),
      );
    }
    assert.equal(readFileSync(path, 'utf8'), 'a\nb\nc\n');
    await update(path, 'X', { ...range, if_sha256: sha256('a\nb\nc\n') });
    assert.equal(readFileSync(path, 'utf8'), 'a\nX\n');
    assert.deepEqual(readdirSync(root), ['f']);
  }));

test('odd names are edited like others', () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/d\n"`);
    for (const name of ['-rf', 'new\nline', `quo"te'`, '$(x)', 'é☃', 'x'.repeat(255), 'x'.repeat(230)]) {
      const path = `${root}/d\n"/${name}`;
      writeFileSync(path, 'a\n');
      await update(path, 'X', { start_line: 1, end_line: 1 });
      assert.equal(readFileSync(path, 'utf8'), 'X\n', name);
    }
  }));
