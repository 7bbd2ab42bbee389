/** Proves what the two resolvers reach, refuse and name, with links in every position. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { failsWith } from '../testing/context.ts';
import { openDescriptors, withDirectory } from '../testing/tree.ts';
import { cleanPath, isWithin } from './clean.ts';
import { resolveAsKernel } from './resolve.ts';
import type { PathSpec } from './subject.ts';
import { walkPath } from './walk.ts';

const READ: PathSpec = { need: 'object', lastLink: 'follow', use: 'read', failure: 'open_file' };
const ANY: PathSpec = {
  need: 'any',
  lastLink: 'refuse',
  use: 'write',
  failure: 'write_file',
  directoryFailure: 'create_parents',
};

test('a path is cleaned by its text', () => {
  assert.equal(cleanPath('/a//b/./c/../d/'), '/a/b/d');
  for (const clean of ['/', '/a', '/a/b', '/.a/b.', '/..a/b..', '/...', '/a/.../b']) assert.equal(cleanPath(clean), clean);
  for (const [path, clean] of Object.entries({
    '/.': '/',
    '/a/.': '/a',
    '/a/..': '/',
    '/a/': '/a',
    '//a': '/a',
    '/./a': '/a',
    '/../a': '/a',
  }))
    assert.equal(cleanPath(path), clean);
  assert.equal(cleanPath('/../..'), '/');
  assert.throws(() => cleanPath('a/b'), failsWith('path_not_absolute', { path: 'a/b' }));
  for (const bad of ['/a\0b', `/${'x'.repeat(256)}`, `/${'é'.repeat(128)}`, '/a'.repeat(2048), '/\ud800']) {
    assert.throws(() => cleanPath(bad), failsWith('path_invalid'), bad);
  }
  assert.equal(cleanPath(`/${'x'.repeat(255)}`).length, 256);
});

test('being within is by whole components', () => {
  assert.ok(isWithin('/srv/x', '/srv/x') && isWithin('/srv/x/y', '/srv/x') && isWithin('/a', '/'));
  assert.ok(!isWithin('/srv/xx', '/srv/x') && !isWithin('/srv', '/srv/x') && !isWithin('(deleted)', '/'));
});

test('the first name below the root is judged as every other, and the root is held where it is the parent', () => {
  const before = openDescriptors();
  const link = readdirSync('/', { withFileTypes: true }).find((entry) => entry.isSymbolicLink())?.name;
  if (link !== undefined) {
    const expected = failsWith('symlink_refused', { component: `/${link}`, target: readlinkSync(`/${link}`) });
    for (const path of [`/${link}`, `/${link}/x`]) assert.throws(() => walkPath(path, READ), expected, path);
  }
  const fresh = walkPath('/steward-test-missing/x', ANY);
  assert.deepEqual([fresh.parent?.path, fresh.missing], ['/', ['steward-test-missing', 'x']]);
  fresh.close();
  for (const walk of [walkPath, resolveAsKernel]) {
    for (const path of ['/', '/proc']) {
      const subject = walk(path, READ);
      assert.deepEqual([subject.realPath, subject.object?.stat.isDirectory()], [path, true]);
      subject.close();
    }
  }
  const above = resolveAsKernel('/../proc/..', READ);
  assert.equal(above.realPath, '/');
  above.close();
  assert.equal(openDescriptors(), before);
});

test('the walk refuses a link in every position and names it', () =>
  withDirectory((root) => {
    mkdirSync(`${root}/d/e`, { recursive: true });
    writeFileSync(`${root}/d/e/f`, '');
    symlinkSync('d', `${root}/middle`);
    symlinkSync('f', `${root}/d/e/last`);
    symlinkSync('loop', `${root}/loop`);
    symlinkSync('nowhere', `${root}/dangling`);
    const before = openDescriptors();
    const refused: [string, string, string][] = [
      ['middle/e/f', 'middle', 'd'],
      ['d/e/last', 'd/e/last', 'f'],
      ['loop/x', 'loop', 'loop'],
      ['loop', 'loop', 'loop'],
      ['dangling', 'dangling', 'nowhere'],
      ['dangling/x', 'dangling', 'nowhere'],
    ];
    for (const [path, component, target] of refused) {
      for (const spec of [READ, ANY]) {
        const expected = failsWith('symlink_refused', { component: `${root}/${component}`, target });
        assert.throws(() => walkPath(`${root}/${path}`, spec), expected, path);
      }
    }
    assert.equal(openDescriptors(), before);
    const link = walkPath(`${root}/d/e/last`, { ...READ, rootMayNameLink: true });
    assert.equal(link.object?.stat.isSymbolicLink(), true);
    link.close();
    assert.throws(() => walkPath('/proc/self/root/etc/passwd', READ), failsWith('symlink_refused', { component: '/proc/self' }));
    assert.throws(() => walkPath('/dev/fd/0', READ), failsWith('symlink_refused'));
    symlinkSync('there\n\x1b]0;title', `${root}/odd`);
    assert.throws(() => walkPath(`${root}/odd`, READ), failsWith('symlink_refused', { target: 'there\\n\\x1b]0;title' }));
  }));

test('the walk holds what it found and says where it is', () =>
  withDirectory((root) => {
    mkdirSync(`${root}/d`);
    writeFileSync(`${root}/d/f`, 'x');
    const before = openDescriptors();
    const subject = walkPath(`${root}/d/f`, ANY);
    assert.equal(subject.realPath, `${root}/d/f`);
    assert.equal(subject.parent?.path, `${root}/d`);
    assert.equal(subject.object?.stat.size, 1n);
    assert.equal(subject.name, 'f');
    subject.close();
    subject.close();
    assert.equal(openDescriptors(), before);
    const top = walkPath('/', READ);
    assert.equal(top.realPath, '/');
    top.close();
  }));

test('what is missing is told as far as the operation allows', () =>
  withDirectory((root) => {
    writeFileSync(`${root}/file`, '');
    for (const resolver of [walkPath, resolveAsKernel]) {
      const subject = resolver(`${root}/a/b/c`, ANY);
      assert.deepEqual([subject.missing, subject.parent?.path, subject.name], [['a', 'b', 'c'], root, 'c']);
      assert.equal(subject.realPath, `${root}/a/b/c`);
      subject.close();
      const parent = { ...ANY, need: 'parent' } as const;
      assert.throws(() => resolver(`${root}/a/b`, parent), failsWith('create_parents', { path: `${root}/a` }));
      const near = resolver(`${root}/a`, parent);
      assert.deepEqual(near.missing, ['a']);
      near.close();
      assert.throws(() => resolver(`${root}/a`, READ), failsWith('open_file', { path: `${root}/a`, errno: 'ENOENT' }));
      assert.throws(() => resolver(`${root}/file/x`, ANY), failsWith('create_parents', { path: `${root}/file` }));
      assert.throws(() => resolver(`${root}/file/x`, READ), failsWith('open_file', { reason: 'not a directory' }));
    }
  }));

test('unprivileged, links are followed as the kernel does', () =>
  withDirectory((root) => {
    mkdirSync(`${root}/d/e`, { recursive: true });
    writeFileSync(`${root}/d/f`, 'x');
    symlinkSync(`${root}/d`, `${root}/absolute`);
    symlinkSync('../f', `${root}/d/e/up`);
    symlinkSync('loop', `${root}/loop`);
    symlinkSync('absolute/e/up', `${root}/chain`);
    const before = openDescriptors();
    const reached = (path: string): string => {
      const subject = resolveAsKernel(path, READ);
      subject.close();
      return subject.realPath;
    };
    assert.equal(reached(`${root}/absolute/f`), `${root}/d/f`);
    assert.equal(reached(`${root}/chain`), `${root}/d/f`);
    assert.equal(reached(`${root}/absolute/../d/f`), `${root}/d/f`);
    assert.equal(reached(`${root}/absolute/`), `${root}/d`);
    assert.equal(reached(`${root}//d/./e/..`), `${root}/d`);
    assert.throws(() => reached(`${root}/loop`), failsWith('open_file', { errno: 'ELOOP' }));
    assert.throws(() => reached(`${root}/d/f/`), failsWith('open_file', { errno: 'ENOTDIR' }));
    assert.throws(() => resolveAsKernel(`${root}/chain`, ANY), failsWith('symlink_refused', { target: 'absolute/e/up' }));
    assert.throws(() => resolveAsKernel(`${root}/absolute/f`, { ...READ, noLinks: true }), failsWith('symlink_refused'));
    const link = resolveAsKernel(`${root}/chain`, { ...READ, lastLink: 'object' });
    assert.equal(link.object?.stat.isSymbolicLink(), true);
    link.close();
    assert.equal(openDescriptors(), before);
  }));

test('unprivileged, a link that leads nowhere makes no directories there', () =>
  withDirectory((root) => {
    symlinkSync('nowhere', `${root}/dangling`);
    assert.throws(() => resolveAsKernel(`${root}/dangling/x`, ANY), failsWith('create_parents', { errno: 'ENOENT' }));
    assert.throws(() => resolveAsKernel(`${root}/missing/../x`, ANY), failsWith('create_parents', { errno: 'ENOENT' }));
  }));

test('the magic links of procfs lead nowhere', async () => {
  await withDirectory((root) => {
    writeFileSync(`${root}/open`, 'x');
    const held = walkPath(`${root}/open`, READ);
    rmSync(`${root}/open`);
    // an unlinked file has no path but the magic link to the descriptor
    assert.throws(
      () => resolveAsKernel(`/proc/self/fd/${String(held.object?.fd)}`, READ),
      failsWith('open_file', { errno: 'ENOENT' }),
    );
    held.close();
  });
  const root = resolveAsKernel('/proc/self/root/etc', READ);
  assert.equal(root.realPath, '/etc');
  root.close();
});
