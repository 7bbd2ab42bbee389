/** Proves that a memory of files never tells what a file said before, however it was changed, and that it has an end. */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { openDescriptors, withDirectory } from '../testing/tree.ts';
import { FileMemory } from './file-memory.ts';

/** As if every file had been left alone for long. */
const later = (): number => Date.now() + 60_000;

class Reader {
  parsed = 0;
  readonly memory: FileMemory<string>;

  constructor(now?: () => number, most = 100) {
    this.memory = new FileMemory({ weigh: ({ length }) => length, most, ...(now === undefined ? {} : { now }) });
  }

  read(path: string): string {
    return this.memory.read(path, (fd) => {
      this.parsed++;
      return readFileSync(fd, 'utf8');
    });
  }
}

test('a file that is the same is parsed once; a replaced, rewritten or touched one again', () =>
  withDirectory((root) => {
    const before = openDescriptors();
    const reader = new Reader(later);
    const path = `${root}/status`;
    writeFileSync(path, 'one');
    for (let round = 0; round < 3; round++) assert.equal(reader.read(path), 'one');
    assert.equal(reader.parsed, 1);
    const { atime, mtime } = statSync(path);
    writeFileSync(`${root}/status-new`, 'two');
    utimesSync(`${root}/status-new`, atime, mtime);
    renameSync(`${root}/status-new`, path);
    assert.equal(reader.read(path), 'two');
    writeFileSync(path, 'six');
    utimesSync(path, atime, mtime);
    assert.equal(reader.read(path), 'six', 'the same inode, size and time of modification');
    assert.equal(reader.parsed, 3);
    assert.throws(() => reader.read(`${root}/none`), { code: 'ENOENT' });
    assert.equal(openDescriptors(), before);
  }));

test('what was written a moment ago, or in times to come, is not remembered', () =>
  withDirectory((root) => {
    const path = `${root}/status`;
    writeFileSync(path, 'one');
    const written = Number(statSync(path, { bigint: true }).ctimeMs);
    for (const [now, parsed] of [
      [written, 2],
      [written + 2999, 2],
      [written - 60_000, 2],
      [written + 3001, 1],
    ] as const) {
      const reader = new Reader(() => now);
      assert.equal(reader.read(path) + reader.read(path), 'oneone');
      assert.equal(reader.parsed, parsed, String(now - written));
    }
  }));

test('what fails is not remembered, and what is remembered has a bound', () =>
  withDirectory((root) => {
    const reader = new Reader(later, 10);
    const [a, b, long] = ['a', 'b', 'long'].map((name) => `${root}/${name}`) as [string, string, string];
    writeFileSync(a, '1234567');
    writeFileSync(b, '12');
    writeFileSync(long, '12345678901');
    const failing = (): string => reader.memory.read(a, () => assert.fail('no'));
    assert.throws(failing, /no/);
    for (const path of [long, long]) reader.read(path);
    assert.equal(reader.parsed, 2, 'too long');
    for (const path of [a, b, a, b]) reader.read(path);
    assert.equal(reader.parsed, 4, 'both together');
    writeFileSync(b, '1234');
    for (const path of [b, b, a, a]) reader.read(path);
    assert.equal(reader.parsed, 6, 'it began anew with the longer one');
  }));
