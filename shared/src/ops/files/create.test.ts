/** Proves files/create: modes whatever the umask, never empty in between, links refused, nothing done in a dry run. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import { makeGuard } from '../../host/guarding.ts';
import { failsWith } from '../../testing/context.ts';
import { runOp, uploadOf } from '../../testing/operations.ts';
import { openDescriptors, withDirectory } from '../../testing/tree.ts';
import type { OpParts } from '../../workers/run.ts';
import { filesCreate } from './create.ts';

type Args = Omit<Parameters<typeof filesCreate.run>[0], 'path'>;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

const create = (path: string, content: string | undefined, args: Args = {}, parts: Partial<OpParts> = {}) =>
  runOp(filesCreate, { path, ...args }, { upload: content === undefined ? undefined : uploadOf(content, 5), ...parts });

for (const mask of [0o077, 0o000]) {
  test(`new files and parents have their modes under umask ${mask.toString(8)}`, () =>
    withDirectory(async (root) => {
      const before = process.umask(mask);
      try {
        const { result, begun } = await create(`${root}/a/b/c`, 'hello\n');
        assert.deepEqual(result, {
          action: 'create',
          path: `${root}/a/b/c`,
          size: 6,
          old_size: 0,
          directories: 2,
          mode: '0644',
          sha256: sha256('hello\n'),
          dry_run: false,
        });
        assert.equal(begun, 1);
      } finally {
        assert.equal(process.umask(before), mask, 'left as it was');
      }
      assert.deepEqual([modeOf(`${root}/a`), modeOf(`${root}/a/b`), modeOf(`${root}/a/b/c`)], ['755', '755', '644']);
      assert.equal(readFileSync(`${root}/a/b/c`, 'utf8'), 'hello\n');
    }));
}

test('existing content is replaced in the same file', () =>
  withDirectory(async (root) => {
    writeFileSync(`${root}/f`, 'a longer text than the new one');
    chmodSync(`${root}/f`, 0o600);
    linkSync(`${root}/f`, `${root}/other`);
    const before = statSync(`${root}/f`);
    const { result } = await create(`${root}/f`, 'short');
    assert.deepEqual([result.action, result.old_size, result.size, result.sha256], ['replace', 30, 5, sha256('short')]);
    const after = statSync(`${root}/f`);
    assert.deepEqual([after.ino, after.mode, after.nlink, after.size], [before.ino, before.mode, 2, 5]);
    assert.equal(readFileSync(`${root}/other`, 'utf8'), 'short');
  }));

test('an existing file is never empty while it is replaced', () =>
  withDirectory(async (root) => {
    writeFileSync(`${root}/f`, 'x'.repeat(100_000));
    let smallest = Infinity;
    const upload = uploadOf('y'.repeat(200_000), 1000);
    const watching = {
      ...upload,
      async *chunks(): AsyncGenerator<Uint8Array> {
        for await (const chunk of upload.chunks()) {
          smallest = Math.min(smallest, statSync(`${root}/f`).size);
          yield chunk;
        }
      },
    };
    await create(`${root}/f`, undefined, {}, { upload: watching });
    assert.equal(smallest, 100_000);
    assert.equal(statSync(`${root}/f`).size, 200_000);
  }));

test('empty content touches: a new file is empty, an old one keeps its content', () =>
  withDirectory(async (root) => {
    for (const [name, content] of [
      ['a', ''],
      ['b', undefined],
    ] as const) {
      assert.equal((await create(`${root}/${name}`, content)).result.action, 'touch');
      assert.deepEqual([modeOf(`${root}/${name}`), statSync(`${root}/${name}`).size], ['644', 0]);
    }
    writeFileSync(`${root}/old`, 'content');
    utimesSync(`${root}/old`, 1, 1);
    const { result } = await create(`${root}/old`, '');
    assert.deepEqual([result.action, result.size, result.sha256], ['touch', 7, sha256('content')]);
    assert.equal(readFileSync(`${root}/old`, 'utf8'), 'content');
    assert.ok(Date.now() - statSync(`${root}/old`).mtimeMs < 10_000);
  }));

test('a dry run judges everything and changes nothing', () =>
  withDirectory(async (root) => {
    writeFileSync(`${root}/f`, 'content');
    const dry = { dry_run: true };
    const made = await create(`${root}/x/y/new`, 'hello', dry);
    assert.deepEqual([made.result.action, made.result.directories, made.result.dry_run, made.begun], ['create', 2, true, 0]);
    const replaced = (await create(`${root}/f`, 'hello', dry)).result;
    assert.deepEqual([replaced.action, replaced.old_size, replaced.size, replaced.sha256], ['replace', 7, 5, sha256('content')]);
    assert.equal((await create(`${root}/f`, '', dry)).result.action, 'touch');
    await assert.rejects(create(`${root}/f`, 'x', { ...dry, if_sha256: sha256('other') }), failsWith('file_changed'));
    assert.deepEqual([readdirSync(root), readFileSync(`${root}/f`, 'utf8')], [['f'], 'content']);
  }));

test('if_sha256: the file must be as it was read; a missing one counts as empty', () =>
  withDirectory(async (root) => {
    writeFileSync(`${root}/f`, 'one');
    await assert.rejects(create(`${root}/f`, 'two', { if_sha256: 'xyz' }), failsWith('sha256_malformed', { name: 'if_sha256' }));
    const expected = sha256('zero');
    await assert.rejects(
      create(`${root}/f`, 'two', { if_sha256: expected }),
      failsWith('file_changed', { actual: sha256('one'), expected }),
    );
    await create(`${root}/f`, 'two', { if_sha256: sha256('one').toUpperCase() });
    assert.equal(readFileSync(`${root}/f`, 'utf8'), 'two');
    await assert.rejects(
      create(`${root}/new`, 'x', { if_sha256: sha256('one') }),
      failsWith('file_changed', { actual: sha256('') }),
    );
    await create(`${root}/new`, 'x', { if_sha256: sha256('') });
  }));

for (const privileged of [false, true]) {
  test(`links and special files are refused (privileged: ${String(privileged)})`, () =>
    withDirectory(async (root) => {
      writeFileSync(`${root}/victim`, 'untouched');
      symlinkSync('victim', `${root}/link`);
      symlinkSync('nowhere', `${root}/dangling`);
      mkdirSync(`${root}/d`);
      const before = openDescriptors();
      const refusal = failsWith('symlink_refused', { component: `${root}/link`, target: 'victim' });
      await assert.rejects(create(`${root}/link`, 'x', {}, { privileged }), refusal);
      await assert.rejects(
        create(`${root}/dangling`, 'x', {}, { privileged }),
        failsWith('symlink_refused', { target: 'nowhere' }),
      );
      assert.ok(!existsSync(`${root}/nowhere`) && readlinkSync(`${root}/dangling`) === 'nowhere');
      assert.equal(readFileSync(`${root}/victim`, 'utf8'), 'untouched');
      await assert.rejects(create(`${root}/d`, 'x', {}, { privileged }), failsWith('write_file', { reason: 'is a directory' }));
      await assert.rejects(create('/', 'x', {}, { privileged }), failsWith('write_file', { reason: 'is a directory' }));
      await assert.rejects(create('/dev/null', 'x', {}, { privileged }), failsWith('not_regular', { path: '/dev/null' }));
      await assert.rejects(
        create(`${root}/victim/x/y`, 'x', {}, { privileged }),
        failsWith('create_parents', { path: `${root}/victim`, reason: 'not a directory' }),
      );
      assert.equal(openDescriptors(), before);
    }));
}

test('nothing is made below what is protected, or on procfs', () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/secret`);
    const guard = makeGuard({ trees: [`${root}/secret`], readOnly: [root], pids: [] });
    await assert.rejects(create(`${root}/secret/x/y`, 'x', {}, { guard }), failsWith('protected_object'));
    await assert.rejects(create(`${root}/x`, 'x', {}, { guard }), failsWith('protected_object', { path: `${root}/x` }));
    await assert.rejects(create('/proc/sys/kernel/hostname', 'x'), failsWith('protected_object'));
    await assert.rejects(create('/proc/new', 'x'), failsWith('protected_object'));
    assert.deepEqual(readdirSync(`${root}/secret`), []);
  }));

test('a new file whose content cannot be written is gone again', () =>
  withDirectory(async (root) => {
    const upload = uploadOf('0123456789', 4);
    const failing = {
      ...upload,
      async *chunks(): AsyncGenerator<Uint8Array> {
        for await (const chunk of upload.chunks()) {
          yield chunk;
          throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
        }
      },
    };
    await assert.rejects(
      create(`${root}/new`, undefined, {}, { upload: failing }),
      failsWith('write_file', { path: `${root}/new`, reason: 'no space left on device' }),
    );
    writeFileSync(`${root}/old`, 'abcdefgh');
    await assert.rejects(
      create(`${root}/old`, undefined, {}, { upload: failing }),
      failsWith('write_file_mixed', { written: 4, size: 10, reason: 'no space left on device' }),
    );
    assert.deepEqual([readdirSync(root), readFileSync(`${root}/old`, 'utf8')], [['old'], '0123efgh']);
  }));

test('hard links are refused to root while the kernel does not protect them', () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/proc/sys/fs`, { recursive: true });
    writeFileSync(`${root}/f`, 'x');
    linkSync(`${root}/f`, `${root}/g`);
    const protect = (value: string): void => writeFileSync(`${root}/proc/sys/fs/protected_hardlinks`, value);
    protect('0\n');
    const refusal = failsWith('hard_link', { path: `${root}/f` });
    await assert.rejects(create(`${root}/f`, 'y', {}, { privileged: true, root }), refusal);
    await create(`${root}/f`, 'y', {}, { root });
    protect('1\n');
    await create(`${root}/f`, 'z', {}, { privileged: true, root });
    assert.equal(lstatSync(`${root}/g`).size, 1);
  }));

test('a call that was stopped does not begin', () =>
  withDirectory(async (root) => {
    await assert.rejects(create(`${root}/a/b`, 'x', {}, { signal: AbortSignal.abort() }), failsWith('cancelled'));
    assert.deepEqual(readdirSync(root), []);
  }));

test('a path of two thousand missing directories does not hold up the event loop', () =>
  withDirectory(async (root) => {
    const path = `${root}${'/a'.repeat(Math.floor((4000 - root.length) / 2))}`;
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const began = performance.now();
    await create(path, 'x', {}, { privileged: true });
    const took = performance.now() - began;
    clearInterval(timer);
    assert.equal(readFileSync(path, 'utf8'), 'x');
    assert.ok(longest < took / 4, `held up for ${longest} of ${took} ms`);
  }));
