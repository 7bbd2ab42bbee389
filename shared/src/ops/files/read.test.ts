/** Proves selections, caps and refusals of files/read and of the reads behind file:///. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { failsWith } from '../../testing/context.ts';
import { runOp } from '../../testing/operations.ts';
import { openDescriptors, withDirectory } from '../../testing/tree.ts';
import { filesFiletype } from './filetype.ts';
import { filesRead } from './read.ts';
import { fileContent, fileStat, fileType } from './resource.ts';

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

async function read(path: string, selection: Omit<Parameters<typeof filesRead.run>[0], 'path'> = {}) {
  const { bytes, result } = await runOp(filesRead, { path, ...selection });
  return { text: bytes.toString(), ...result };
}

function withFile<T>(content: string | Buffer, use: (path: string) => Promise<T>): Promise<T> {
  return withDirectory((root) => {
    writeFileSync(`${root}/file`, content);
    return use(`${root}/file`);
  });
}

test('lines, from either end, with their ends', () =>
  withFile('one\ntwo\nthree\nfour', async (path) => {
    const text = async (selection: object): Promise<string> => (await read(path, selection)).text;
    assert.equal(await text({ start_line: 2, end_line: 3 }), 'two\nthree\n');
    assert.equal(await text({ start_line: 3 }), 'three\nfour');
    assert.equal(await text({ end_line: 1 }), 'one\n');
    assert.equal(await text({ start_line: 3, end_line: 2 }), 'three\nfour');
    assert.equal(await text({ start_line: 4, end_line: 99 }), 'four');
    assert.equal(await text({ start_line: 2, end_line: 2, offset: 9, limit: 1 }), 'two\n');
    assert.equal(await text({ start_line: 0, end_line: 0 }), 'one\ntwo\nthree\nfour');
    await assert.rejects(read(path, { start_line: 5 }), failsWith('line_past_end', { line: 5, lines: 4 }));
    const all = await read(path, { start_line: 1, end_line: 4 });
    assert.equal(all.sha256, sha256('one\ntwo\nthree\nfour'));
    assert.equal((await read(path, { start_line: 2 })).sha256, undefined);
    assert.equal((await read(path, { end_line: 3 })).sha256, undefined);
  }));

test('an empty file is an empty text, whatever was selected', () =>
  withFile('', async (path) => {
    for (const selection of [{}, { start_line: 9 }, { end_line: 3 }, { offset: 100 }, { limit: 1 }]) {
      const { text, truncated, at } = await read(path, selection);
      assert.deepEqual([text, truncated, at], ['', false, 0]);
    }
    assert.equal((await read(path)).sha256, sha256(''));
  }));

test('bytes: the default cap cuts and says so, an explicit limit only cuts', () =>
  withFile('x'.repeat(10_239) + 'é'.repeat(5000), async (path) => {
    const whole = await read(path);
    assert.deepEqual(
      [whole.truncated, whole.at, whole.size, whole.next, whole.sha256],
      [true, 10_239, 20_239, 10_239, undefined],
    );
    const rest = await read(path, { offset: whole.next });
    assert.equal(rest.text, 'é'.repeat(5000));
    assert.deepEqual([rest.truncated, rest.at, rest.next, rest.sha256], [false, 10_000, 20_239, undefined]);
    const limited = await read(path, { offset: 10_239, limit: 5 });
    assert.deepEqual([limited.text, limited.truncated, limited.next], ['éé', false, 10_243]);
    assert.equal((await read(path, { limit: 1 })).text, 'x');
    assert.equal((await read(path, { offset: 10_239, limit: 1 })).text, '');
    assert.equal((await read(path, { offset: 20_239 })).text, '');
    assert.equal((await read(path, { offset: 99_999 })).text, '');
    const everything = await read(path, { limit: 50_000 });
    assert.deepEqual([everything.at, everything.truncated, everything.sha256], [20_239, false, everything.sha256]);
    assert.equal(everything.sha256, sha256('x'.repeat(10_239) + 'é'.repeat(5000)));
  }));

test('exactly the cap is not cut', () =>
  withFile('y'.repeat(10_240), async (path) => {
    const { truncated, at, sha256: hash } = await read(path);
    assert.deepEqual([truncated, at, hash], [false, 10_240, sha256('y'.repeat(10_240))]);
  }));

test('the cap of 16 MiB holds for limits and for lines', () =>
  withDirectory(async (root) => {
    const line = `${'z'.repeat(65_535)}\n`;
    writeFileSync(`${root}/big`, line.repeat(300));
    const limited = await read(`${root}/big`, { limit: 18_000_000 });
    assert.deepEqual([limited.truncated, limited.at, limited.size], [true, 16 * 1024 * 1024, 19_660_800]);
    const lines = await read(`${root}/big`, { start_line: 2 });
    assert.deepEqual([lines.truncated, lines.at, lines.next], [true, 16 * 1024 * 1024, 16 * 1024 * 1024 + 65_536]);
  }));

test('a line may have 65536 bytes and not one more', () =>
  withFile(`a\n${'b'.repeat(65_536)}\n${'c'.repeat(65_537)}\nd\n`, async (path) => {
    assert.equal((await read(path, { start_line: 2, end_line: 2 })).at, 65_537);
    await assert.rejects(read(path, { start_line: 4 }), failsWith('line_too_long', { line: 3 }));
  }));

test('binary is refused by the first 8192 bytes, wherever reading would begin', async () => {
  await withFile(`${'a'.repeat(8191)}\0more`, async (path) => {
    for (const selection of [{}, { offset: 8192 }, { start_line: 1 }]) {
      await assert.rejects(read(path, selection), failsWith('binary_file', { mime: 'application/octet-stream' }));
    }
  });
  await withFile(`${'a'.repeat(8192)}\0`, async (path) => assert.equal((await read(path)).at, 8193));
  await withFile(Buffer.from('caf\xe9\n', 'latin1'), async (path) => {
    assert.deepEqual((await runOp(filesRead, { path })).bytes, Buffer.from('caf\xe9\n', 'latin1'));
  });
});

// abuse 69: broker
test('FIFOs, sockets, devices and directories are refused without waiting', () =>
  withDirectory(async (root) => {
    execFileSync('mkfifo', [`${root}/fifo`]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`${root}/socket`, resolve));
    const begin = performance.now();
    for (const path of [`${root}/fifo`, `${root}/socket`, '/dev/null', '/dev/zero']) {
      await assert.rejects(read(path), failsWith('not_regular', { path }));
      await assert.rejects(runOp(fileContent, { path }), failsWith('not_regular', { path }));
    }
    assert.ok(performance.now() - begin < 500);
    await assert.rejects(read(root), failsWith('open_file', { reason: 'is a directory' }));
    await assert.rejects(read(`${root}/missing`), failsWith('open_file', { reason: 'no such file or directory' }));
    server.close();
  }));

test('pseudo-files are read to their end, whatever their size says', async () => {
  const status = await read('/proc/1/status');
  assert.match(status.text, /^Name:/);
  assert.deepEqual([status.size, status.truncated], [null, false]);
  assert.match((await read('/proc/meminfo', { start_line: 2, end_line: 2 })).text, /^MemFree:.*\n$/);
  assert.match((await read('/proc/meminfo', { offset: 3, limit: 5 })).text, /^Total/);
  assert.match((await read('/sys/kernel/mm/transparent_hugepage/enabled').catch(() => ({ text: 'never' }))).text, /never/);
  const big = await read('/proc/kallsyms').catch(() => undefined);
  if (big !== undefined && big.at > 0) assert.deepEqual([big.truncated, big.size], [true, null]);
});

test('protected objects are refused, privileged or not', async () => {
  await assert.rejects(read('/proc/self/environ'), failsWith('protected_object', { path: '/proc/self/environ' }));
  await assert.rejects(runOp(filesRead, { path: '/proc/1/environ' }, { privileged: true }), failsWith('protected_object'));
});

// abuse 70: broker
test('a file that grows while it is read gives no more than the cap', () =>
  // more than is read at once when it is opened
  withFile('0123456789'.repeat(1000), async (path) => {
    const grower = setInterval(() => appendFileSync(path, 'x'.repeat(1_000_000)), 1);
    try {
      for (let round = 0; round < 20; round++) assert.ok((await read(path)).at <= 10_240);
    } finally {
      clearInterval(grower);
    }
    assert.ok(statSync(path).size > 1_000_000, 'it did grow meanwhile');
    truncateSync(path, 2 ** 40); // sparse: only the cap is ever read
    assert.equal((await read(path)).at, 10_240);
    await assert.rejects(runOp(fileContent, { path }), failsWith('file_too_large'));
  }));

test('a stopped call stops reading', () =>
  withFile('line\n'.repeat(100_000), async (path) => {
    const before = openDescriptors();
    const signal = AbortSignal.abort();
    await assert.rejects(runOp(filesRead, { path, limit: 400_000 }, { signal }), failsWith('cancelled'));
    assert.equal(openDescriptors(), before);
  }));

test('the reads behind file:///', () =>
  withDirectory(async (root) => {
    writeFileSync(`${root}/a.json`, '{"a": 1}\n');
    chmodSync(`${root}/a.json`, 0o640);
    mkdirSync(`${root}/stat`);
    symlinkSync('a.json', `${root}/link`);
    const content = await runOp(fileContent, { path: `${root}/link` });
    assert.deepEqual([content.bytes.toString(), content.result], ['{"a": 1}\n', { size: 9 }]);
    const { result } = await runOp(fileStat, { path: `${root}/a.json` });
    assert.deepEqual(
      { ...result, modified_time: '' },
      { name: 'a.json', size: 9, mode: '-rw-r-----', modified_time: '', is_dir: false },
    );
    assert.match(result.modified_time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.equal((await runOp(fileStat, { path: '/' })).result.name, '/');
    for (const op of [fileType, filesFiletype]) {
      const mime = async (path: string, privileged = false): Promise<string> =>
        (await runOp(op, { path }, { privileged })).result.mime;
      assert.equal(await mime(`${root}/a.json`), 'application/json');
      assert.equal(await mime(`${root}/link`), 'inode/symlink');
      assert.equal(await mime(`${root}/link`, true), 'inode/symlink');
      assert.equal(await mime(`${root}/stat`), 'inode/directory');
      assert.equal(await mime('/dev/null'), 'inode/chardevice');
    }
    await assert.rejects(runOp(fileContent, { path: '/bin/sh' }), failsWith('binary_file'));
  }));
