/** Proves the reading of the kernel's log: what a record means, the cut, the filter, and dmesg as the judge. */
import assert from 'node:assert/strict';
import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { test } from 'node:test';
import { recordsOf, type ReadRecord } from '../../host/kernel-log/read.ts';
import { kernelLogText, parseKernelLogRecord } from '../../host/kernel-log/record.ts';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { without } from '../../testing/programs.ts';
import { misfit } from '../../testing/schema.ts';
import { printed } from '../../testing/truth.ts';
import { logsDmesg, type KernelLog } from './dmesg.ts';

const RECORD_BYTES = 8192;

test('what a record says', () => {
  assert.deepEqual(parseKernelLogRecord('6,339,5140900,-;NET: Registered protocol family 10\n SUBSYSTEM=net\n DEVICE=+x\n'), {
    seq: 339,
    seconds: 5.1409,
    level: 'info',
    facility: 'kern',
    message: 'NET: Registered protocol family 10',
  });
  const other = parseKernelLogRecord('30,7,0,c,caller=T1;systemd[1]: a;b');
  assert.deepEqual([other?.level, other?.facility, other?.message], ['info', 'daemon', 'systemd[1]: a;b']);
  assert.deepEqual(parseKernelLogRecord('187,1,2,-;x')?.facility, 'local7');
  for (const text of ['', 'x', '6,1;no', ' KEY=value', '6,1,2 no\n;']) assert.equal(parseKernelLogRecord(text), undefined, text);
});

test('escapes of the kernel: newlines, tabs and letters come back, other control characters do not', () => {
  const message = (body: string): string | undefined => parseKernelLogRecord(`6,1,2,-;${body}\n`)?.message;
  assert.equal(message('one\\x0atwo\\x09three'), 'one\ntwo\tthree');
  assert.equal(message('gr\\xc3\\xbcn'), 'grün');
  assert.equal(message('back\\x5cslash'), 'back\\slash');
  assert.equal(message('\\x1b[31mred\\x07'), '\\x1b[31mred\\x07');
  assert.equal(message('c1 \\xc2\\x9b31m'), 'c1 \\x9b31m');
  assert.equal(message('wrong \\xff'), 'wrong \ufffd');
});

test('whatever bytes somebody writes into the log, its lines say nothing to a terminal', () => {
  // As the kernel passes them on: everything but printable ASCII as `\\xNN`, and the backslash too.
  const told = (bytes: readonly number[]): string => {
    const escaped = bytes.map((byte) =>
      byte < 0x20 || byte >= 0x7f || byte === 0x5c ? `\\x${byte.toString(16).padStart(2, '0')}` : String.fromCharCode(byte),
    );
    const record = parseKernelLogRecord(`12,1,2,-;a${escaped.join('')}[2Jb\n`);
    assert.ok(record !== undefined);
    return kernelLogText(record);
  };
  const control = /(?![\n\t])\p{Cc}/u;
  for (let one = 0; one < 256; one += 1) {
    assert.doesNotMatch(told([one]), control);
    // Two bytes of UTF-8 make the C1 control characters; a backslash before an escape must not make one of what follows.
    for (const two of [
      [0xc2, one],
      [one, 0x9b],
      [0x5c, one],
      [0x5c, 0x78, 0x31, one],
    ])
      assert.doesNotMatch(told(two), control);
  }
  assert.equal(told([0x5c, 0x78, 0x31, 0x62]), '[    0.000002] a\\x1b[2Jb');
});

test('the text of a record', () => {
  assert.equal(kernelLogText({ seconds: 12.345678, message: 'x' }), '[   12.345678] x');
  assert.equal(kernelLogText({ seconds: 0, message: '' }), '[    0.000000] ');
  assert.equal(kernelLogText({ seconds: 1_234_567.000001, message: 'a\nb' }), '[1234567.000001] a\nb');
});

/** A device that answers each read with the next of these: a record, or an error. */
function device(...answers: readonly string[]): ReadRecord {
  const left = [...answers];
  return (buffer) => {
    const answer = left.shift() ?? 'EAGAIN';
    if (/^E[A-Z]+$/.test(answer)) throw Object.assign(new Error(answer), { code: answer });
    return buffer.write(answer);
  };
}

test('reading until there is no more, also past records that were overwritten', () => {
  const read = device('6,1,1,-;a\n', 'EPIPE', 'rubbish', '6,9,1,-;b\n', 'EAGAIN', '6,10,1,-;not read\n');
  assert.deepEqual(
    [...recordsOf(read)].map(({ seq }) => seq),
    [1, 9],
  );
  assert.throws(() => [...recordsOf(device('6,1,1,-;a\n', 'EIO'))], failsWith('kernel_log', { reason: 'input/output error' }));
});

/** A file that gives one record with each read of 8 KiB, the way the device does. */
function logFile(records: readonly string[]): string {
  return records.map((record) => `${record}\n`.padEnd(RECORD_BYTES, ' ')).join('');
}

async function dmesg(records: readonly string[], level?: string): Promise<KernelLog> {
  const files = { 'dev/kmsg': logFile(records), 'proc/stat': 'cpu 1\nbtime 1795161600\nprocesses 5\n' };
  return withTree(files, async (root) => {
    const found = await logsDmesg.run(level === undefined ? {} : { level }, testContext({ root }));
    assert.equal(misfit(logsDmesg.result, found), undefined);
    return found;
  });
}

test('entries with the time of boot and the stamp', async () => {
  const { entries, truncated } = await dmesg(['4,8,1500000,-;first', '3,9,2000001,-;second']);
  assert.equal(truncated, false);
  assert.deepEqual(entries, [
    { seq: 8, time: '2026-11-20T08:00:01.500Z', seconds: 1.5, level: 'warn', facility: 'kern', message: 'first' },
    { seq: 9, time: '2026-11-20T08:00:02.000Z', seconds: 2.000001, level: 'err', facility: 'kern', message: 'second' },
  ]);
});

test('only the levels that were asked for', async () => {
  const all = ['0,1,1,-;emerg', '3,2,1,-;err', '11,3,1,-;user err', '6,4,1,-;info', '7,5,1,-;debug'];
  const seqs = async (level: string): Promise<number[]> => (await dmesg(all, level)).entries.map(({ seq }) => seq);
  assert.deepEqual(await seqs('err'), [2, 3]);
  assert.deepEqual(await seqs('emerg,debug, info'), [1, 4, 5]);
  for (const level of ['error', 'err,', '3', 'ERR', 'err;info']) {
    const message = `invalid level "${level}": expected comma-separated emerg, alert, crit, err, warn, notice, info, debug`;
    await assert.rejects(dmesg(all, level), { message });
  }
});

test('the cut keeps the last whole records that fit, to the byte', async () => {
  // 15 bytes of stamp, 84 of message and a newline: 307 such lines leave 20 bytes of the 30720.
  const record = (seq: number, message: string): string => `6,${String(seq)},1,-;${message}`;
  const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => record(index + 1, 'm'.repeat(84)));
  const bytes = ({ entries }: KernelLog): number => Buffer.byteLength(entries.map(kernelLogText).join('\n'));
  const fits = await dmesg([...lines(307), record(308, 'm'.repeat(5))]);
  assert.deepEqual([bytes(fits), fits.truncated, fits.entries.length], [30_720, false, 308]);
  const over = await dmesg([...lines(307), record(308, 'm'.repeat(6))]);
  assert.deepEqual([over.truncated, over.entries.length, over.entries[0]?.seq], [true, 307, 2]);
  const wide = await dmesg([...lines(307), record(308, '\\xc3\\xa4'.repeat(3))]);
  assert.deepEqual([wide.truncated, wide.entries.length], [true, 307], 'bytes count, not letters');
});

test('a log that cannot be read, and a stopped call', async () => {
  await withTree({ 'proc/stat': 'btime 1\n' }, async (root) => {
    const message = 'failed to read kernel log: /dev/kmsg: no such file or directory';
    await assert.rejects(logsDmesg.run({}, testContext({ root })), { message });
  });
  await withTree({ 'proc/stat': 'btime 1\n', 'dev/kmsg': logFile(['6,1,1,-;a']) }, async (root) => {
    await assert.rejects(logsDmesg.run({}, testContext({ root, signal: AbortSignal.abort() })), failsWith('cancelled'));
  });
});

function unreadable(): string | false {
  try {
    accessSync('/dev/kmsg', constants.R_OK);
    closeSync(openSync('/dev/kmsg', constants.O_RDONLY | constants.O_NONBLOCK));
    return false;
  } catch {
    return 'the kernel log is not readable here';
  }
}

test('as dmesg tells it', { skip: without('dmesg') || unreadable() }, async () => {
  const { entries } = await logsDmesg.run({}, testContext());
  assert.equal(misfit(logsDmesg.result, { entries, truncated: false }), undefined);
  const theirs = printed('dmesg', []).split('\n');
  // dmesg indents the lines of a message and writes what it cannot print in its own way.
  const ours = entries.filter(({ message }) => !/[\n\\]/.test(message)).map((entry) => kernelLogText(entry).trimEnd());
  let at = 0;
  for (const line of ours) {
    at = theirs.findIndex((their, index) => index >= at && their.trimEnd() === line) + 1;
    assert.ok(at > 0, line);
  }
  const levels = printed('dmesg', ['-l', 'warn']).split('\n');
  for (const entry of (await logsDmesg.run({ level: 'warn' }, testContext())).entries) {
    if (!/[\n\\]/.test(entry.message)) assert.ok(levels.includes(kernelLogText(entry)), kernelLogText(entry));
  }
});
