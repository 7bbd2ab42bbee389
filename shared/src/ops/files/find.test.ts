/** Proves files/find against the find program on random trees, and its own rules. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Glance } from '../../host/descriptors.ts';
import { makeGuard } from '../../host/guarding.ts';
import { resolveAsKernel } from '../../host/resolve.ts';
import { failsWith, testContext } from '../../testing/context.ts';
import { runOp } from '../../testing/operations.ts';
import { fillTree, withDirectory } from '../../testing/tree.ts';
import { parseFilters } from './find-filters.ts';
import { filesFind, type FoundRecord } from './find.ts';

type Args = Parameters<typeof filesFind.run>[0];

/** Full paths as byte strings. */
async function ours(args: Args): Promise<string[]> {
  const { records } = await runOp(filesFind, args);
  return records.map(({ path, path_base64 }) =>
    path_base64 === undefined ? Buffer.from(path).toString('latin1') : Buffer.from(path_base64, 'base64').toString('latin1'),
  );
}

function theirs(root: string, tests: readonly string[]): string[] {
  const output = execFileSync('find', [root, ...tests, '-print0'], { env: { LC_ALL: 'C.UTF-8' }, maxBuffer: 1e8 });
  return output.toString('latin1').split('\0').slice(0, -1).sort();
}

const CASES: readonly [Omit<Args, 'path'>, readonly string[]][] = [
  [{}, []],
  [{ name: 'n1*' }, ['-name', 'n1*']],
  [{ name: '*[0-4]' }, ['-name', '*[0-4]']],
  [{ name: '-*' }, ['-name', '-*']],
  [{ name: 'a?b' }, ['-name', 'a?b']],
  [{ name: '.*' }, ['-name', '.*']],
  [{ type: 'd' }, ['-type', 'd']],
  [{ type: 'f,l' }, ['-type', 'f,l']],
  [{ max_depth: 1 }, ['-maxdepth', '1']],
  [{ max_depth: 2, type: 'f' }, ['-maxdepth', '2', '-type', 'f']],
  [{ size: '+4' }, ['-size', '+4']],
  [{ size: '-2k' }, ['-size', '-2k']],
  [{ size: '3w' }, ['-size', '3w']],
  [{ size: '+100c', type: 'f' }, ['-size', '+100c', '-type', 'f']],
  [{ size: '1M' }, ['-size', '1M']],
  [{ mtime: '+7', type: 'f' }, ['-mtime', '+7', '-type', 'f']],
  [{ mtime: '-7', type: 'f' }, ['-mtime', '-7', '-type', 'f']],
  [{ mtime: '7', type: 'f' }, ['-mtime', '7', '-type', 'f']],
  [{ mtime: '0' }, ['-mtime', '0']],
];

test('random trees are searched as the find program does', () =>
  withDirectory(async (root) => {
    fillTree(root, 21, 600);
    for (const [args, tests] of CASES) {
      assert.deepEqual(await ours({ path: root, ...args }), theirs(root, tests), JSON.stringify(args));
    }
  }));

test('a record says size and type as lstat does, and bytes that are no text', () =>
  withDirectory(async (root) => {
    truncateSync((writeFileSync(`${root}/sparse`, ''), `${root}/sparse`), 2 ** 33);
    symlinkSync('/etc', `${root}/link`);
    writeFileSync(Buffer.from(`${root}/\xff`, 'latin1'), 'abc');
    const { records } = await runOp(filesFind, { path: root, max_depth: 1, type: 'f,l' });
    assert.deepEqual(records, [
      { path: `${root}/link`, size: 4, type: 'l' },
      { path: `${root}/sparse`, size: 2 ** 33, type: 'f' },
      { path: `${root}/\ufffd`, size: 3, type: 'f', path_base64: Buffer.from(`${root}/\xff`, 'latin1').toString('base64') },
    ]);
  }));

test('records are handed on a few at a time, however long the names are', () =>
  withDirectory(async (root) => {
    const directory = `${root}/${'d'.repeat(250)}/${'e'.repeat(250)}`;
    mkdirSync(directory, { recursive: true });
    for (let number = 0; number < 600; number++) writeFileSync(`${directory}/${'f'.repeat(200)}${number}`, '');
    const subject = resolveAsKernel(root, {
      need: 'object',
      lastLink: 'object',
      use: 'read',
      failure: 'read_directory',
      fallback: '/',
    });
    const sizes: number[] = [];
    const context = testContext<FoundRecord>({ subject, emitLines: (lines) => void sizes.push(lines.length) });
    await filesFind.run({ path: root }, context);
    subject.close();
    assert.ok(sizes.reduce((sum, size) => sum + size) > 600 * 700);
    assert.ok(Math.max(...sizes) < 40 * 1024, String(Math.max(...sizes)));
  }));

test('the start: a link is not followed, a file is found, a missing one is an error', () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/d`);
    writeFileSync(`${root}/d/f`, '');
    symlinkSync('d', `${root}/link`);
    assert.deepEqual(await ours({ path: `${root}/link` }), [`${root}/link`]);
    assert.deepEqual(await ours({ path: `${root}/d/f` }), [`${root}/d/f`]);
    assert.deepEqual(await ours({ path: `${root}/d/` }), [`${root}/d`, `${root}/d/f`]);
    await assert.rejects(ours({ path: `${root}/missing` }), failsWith('read_directory', { path: `${root}/missing` }));
    await assert.rejects(
      runOp(filesFind, { path: `${root}/link/f` }, { privileged: true }),
      failsWith('symlink_refused', { component: `${root}/link`, target: 'd' }),
    );
  }));

test('from the root directory, what the kernel makes up is passed over', async () => {
  const paths = await ours({ max_depth: 1 });
  assert.equal(paths[0], '/');
  assert.ok(paths.includes('/etc') && !paths.some((path) => ['/proc', '/sys', '/dev', '/run'].includes(path)));
  assert.ok((await ours({ path: '/proc', max_depth: 1, name: 'meminfo' })).includes('/proc/meminfo'));
});

test('protected objects are passed over silently', () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/secret/deep`, { recursive: true });
    writeFileSync(`${root}/open`, '');
    const guard = makeGuard({ trees: [`${root}/secret`], readOnly: [], pids: [] });
    const { records } = await runOp(filesFind, { path: root }, { guard });
    assert.deepEqual(
      records.map(({ path }) => path.slice(root.length)),
      ['', '/open'],
    );
    await assert.rejects(runOp(filesFind, { path: `${root}/secret` }, { guard }), failsWith('protected_object'));
  }));

test('a protected file is passed over among others, and so is a link to it under any name', () =>
  withDirectory(async (root) => {
    for (const made of ['d', 'e']) mkdirSync(`${root}/${made}`);
    for (const name of ['d/key', 'd/open', 'e/other']) writeFileSync(`${root}/${name}`, '');
    linkSync(`${root}/d/open`, `${root}/e/again`);
    const guard = makeGuard({ trees: [`${root}/d/key`], readOnly: [], pids: [] });
    const found = async (): Promise<string[]> => {
      const { records } = await runOp(filesFind, { path: root, type: 'f' }, { guard });
      return records.map(({ path }) => path.slice(root.length + 1));
    };
    assert.deepEqual(await found(), ['d/open', 'e/again', 'e/other']);
    linkSync(`${root}/d/key`, `${root}/e/known`);
    assert.deepEqual(await found(), ['d/open', 'e/again', 'e/other']);
  }));

test('ages are whole days, times to come are younger than anything', () =>
  withDirectory(async (root) => {
    const day = 86_400;
    for (const [name, age] of Object.entries({ now: 0, young: day - 60, old: day + 60, future: -day })) {
      writeFileSync(`${root}/${name}`, '');
      utimesSync(`${root}/${name}`, Date.now() / 1000 - age, Date.now() / 1000 - age);
    }
    const names = async (mtime: string): Promise<string[]> =>
      (await ours({ path: root, mtime, type: 'f' })).map((path) => path.slice(root.length + 1));
    assert.deepEqual(await names('0'), ['now', 'young']);
    assert.deepEqual(await names('1'), ['old']);
    assert.deepEqual(await names('-1'), ['future', 'now', 'young']);
    assert.deepEqual(await names('+0'), ['old']);
  }));

test('what was changed in this very millisecond is not from a time to come', () => {
  const now = Date.now();
  const changed = { mtimeMs: now + 0.999_999 } as Glance;
  assert.equal(parseFilters({ mtime: '0' }, now).stat(changed), true);
  assert.equal(parseFilters({ mtime: '-0' }, now).stat(changed), false);
});

test('filters that are none are refused', async () => {
  const path = '/';
  for (const type of ['z', 'f,,d', 'file']) await assert.rejects(ours({ path, type }), failsWith('find_type', { value: type }));
  for (const mtime of ['x', '1.5', '++7', '7d'])
    await assert.rejects(ours({ path, mtime }), failsWith('find_mtime', { value: mtime }));
  for (const size of ['x', '10K', '+', '1.5M', '99999999999999999999']) {
    await assert.rejects(ours({ path, size }), failsWith('find_size', { value: size }));
  }
});
