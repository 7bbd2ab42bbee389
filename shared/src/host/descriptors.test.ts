/** Proves that what walks see of an entry is what the kernel says, in numbers, and exact where objects are told apart. */
import assert from 'node:assert/strict';
import { linkSync, lstatSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { withDirectory } from '../testing/tree.ts';
import { glanceBelow, inNumbers } from './descriptors.ts';

test('a glance says what lstat says, for every kind of name', () =>
  withDirectory((root) => {
    for (const name of ['plain', '\xff\xfe', '\xc3\xa9']) {
      const path = Buffer.from(`${root}/${name}`, 'latin1');
      writeFileSync(path, 'x');
      truncateSync(path, 2 ** 33 + 1);
      linkSync(path, Buffer.concat([path, Buffer.from('~')]));
      const stat = lstatSync(path, { bigint: true });
      const glance = glanceBelow(`${root}/`, name, name === 'plain');
      const exact = inNumbers(stat);
      for (const key of ['dev', 'mode', 'nlink', 'rdev', 'size', 'blocks'] as const) assert.equal(glance?.[key], exact[key], key);
      assert.equal(glance?.ino, Number(exact.ino));
      assert.ok(Math.abs((glance?.mtimeMs ?? 0) - exact.mtimeMs) < 0.001);
      assert.deepEqual([glance.size, glance.nlink], [2 ** 33 + 1, 2]);
    }
    assert.equal(glanceBelow(`${root}/`, 'missing', true), undefined);
    assert.equal(glanceBelow(`${root}/plain/`, 'below', true), undefined);
  }));

test('an inode number that no number holds stays exact', () => {
  const stat = { ...lstatSync('/', { bigint: true }), ino: 2n ** 63n + 1n };
  assert.equal(inNumbers(stat).ino, 2n ** 63n + 1n);
});
