/** Proves that what walks see of an entry is what the kernel says, in numbers, and exact where objects are told apart. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, linkSync, lstatSync, openSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { withDirectory } from '../testing/tree.ts';
import { glanceBelow, heldPath, inNumbers, realPathOf } from './descriptors.ts';

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

test('what is held is named by the number that /proc has for this process', () =>
  withDirectory((root) => {
    writeFileSync(`${root}/f`, '');
    const fd = openSync(`${root}/f`, 'r');
    assert.equal(heldPath(fd), `/proc/${readlinkSync('/proc/self')}/fd/${fd}`);
    assert.equal(realPathOf(fd), `${root}/f`);
    closeSync(fd);
  }));

const skip = process.getuid?.() !== 0 && 'needs root for a namespace';

test('also where the process counts itself otherwise than /proc does', { skip }, () =>
  withDirectory((root) => {
    writeFileSync(`${root}/f`, '');
    const script = `
      import { openSync } from 'node:fs';
      const { realPathOf } = await import(${JSON.stringify(new URL('./descriptors.ts', import.meta.url).href)});
      console.log(process.pid, realPathOf(openSync(${JSON.stringify(`${root}/f`)}, 'r')));`;
    const command = [process.execPath, '--input-type=module', '--eval', script];
    const said = execFileSync('unshare', ['--pid', '--fork', '--', ...command], { encoding: 'utf8' });
    assert.equal(said.trim(), `1 ${root}/f`);
  }),
);
