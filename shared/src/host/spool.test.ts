/** Proves that a spool gives back what it got, in memory and beyond, and leaves nothing behind. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { openDescriptors, withDirectory } from '../testing/tree.ts';
import { Spool } from './spool.ts';

async function contentOf(spool: Spool): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of spool.chunks()) {
    assert.ok(piece.byteLength <= 64 * 1024);
    pieces.push(Buffer.from(piece)); // valid until the next is asked for
  }
  return Buffer.concat(pieces);
}

for (const memoryBytes of [1024 * 1024, 100_000, 0]) {
  test(`content comes back, again and again (memory ${String(memoryBytes)})`, () =>
    withDirectory(async (directory) => {
      const before = openDescriptors();
      const spool = new Spool({ directory, memoryBytes });
      const pieces = [10, 70_000, 1, 200_000, 0, 64 * 1024].map((size) => randomBytes(size));
      for (const piece of pieces) await spool.append(piece);
      const expected = Buffer.concat(pieces);
      assert.equal(spool.size, expected.length);
      assert.deepEqual(await Promise.all([contentOf(spool), contentOf(spool)]), [expected, expected]);
      assert.deepEqual(readdirSync(directory), [], 'the file has no name');
      assert.equal(openDescriptors() - before, memoryBytes < expected.length ? 1 : 0);
      spool.close();
      spool.close();
      assert.equal(openDescriptors(), before);
      await assert.rejects(contentOf(spool));
      await assert.rejects(spool.append(Buffer.from('x')));
    }));
}

test('appends that were not awaited keep their order', async () => {
  const spool = new Spool({ memoryBytes: 1000 });
  await Promise.all(Array.from({ length: 200 }, (_, index) => spool.append(Buffer.from(`${String(index)},`))));
  assert.equal((await contentOf(spool)).toString(), Array.from({ length: 200 }, (_, index) => `${String(index)},`).join(''));
  spool.close();
});

test('closing while a reader is at work ends the reader, not another file', () =>
  withDirectory(async (directory) => {
    const spool = new Spool({ directory, memoryBytes: 0 });
    await spool.append(randomBytes(300_000));
    const reader = spool.chunks();
    await reader.next();
    const next = reader.next();
    spool.close();
    await next.catch(() => undefined);
    await assert.rejects(async () => {
      for (;;) if ((await reader.next()).done === true) throw new Error('ended');
    });
  }));

test('a directory that cannot be written to is a failure', async () => {
  await assert.rejects(new Spool({ directory: '/nonexistent', memoryBytes: 0 }).append(Buffer.from('x')), { code: 'ENOENT' });
});
