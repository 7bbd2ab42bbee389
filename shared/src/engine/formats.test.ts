/** Frames, times and ports as the engine writes them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frame } from '../testing/fake-engine.ts';
import { failsWith } from '../testing/context.ts';
import { portList, portsText } from './ports.ts';
import { demultiplexed, wholeCharacters } from './streams.ts';
import { isNever, since, unixTime, utcTime } from './times.ts';

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('frames come apart the same however the stream is cut', async () => {
  const bytes = Buffer.concat([
    frame('stdout', 'one\n'),
    frame('stderr', ''),
    frame('stderr', 'twö\n'),
    frame('stdout', 'x'.repeat(300)),
  ]);
  for (const size of [1, 2, 7, 8, 9, 64, 10_000]) {
    const out = { stdout: '', stderr: '' };
    let begun = 0;
    const pieces: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
    for await (const piece of demultiplexed(chunks(bytes, size))) {
      pieces[piece.stream].push(Buffer.from(piece.bytes));
      if (piece.begins) begun += 1;
    }
    for (const name of ['stdout', 'stderr'] as const) out[name] = Buffer.concat(pieces[name]).toString();
    assert.deepEqual(out, { stdout: `one\n${'x'.repeat(300)}`, stderr: 'twö\n' }, `chunks of ${size}`);
    assert.equal(begun, 3);
  }
});

test('a frame of any announced length is handed on as it comes', async () => {
  const header = Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
  const pieces = [];
  for await (const piece of demultiplexed(chunks(Buffer.concat([header, Buffer.from('abc')]), 4)))
    pieces.push(piece.bytes.toString());
  assert.equal(pieces.join(''), 'abc');
});

test('a stream without frames is not taken for one with', async () => {
  const read = async (): Promise<void> => {
    for await (const _piece of demultiplexed(chunks(Buffer.from('just some text'), 100)));
  };
  await assert.rejects(read, failsWith('docker_broken'));
});

test('a cut never splits a character', () => {
  const text = Buffer.from('aä€😀');
  const lengths = Array.from({ length: text.length + 1 }, (_, end) => wholeCharacters(text.subarray(0, end)).length);
  assert.deepEqual(lengths, [0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10]);
});

test('times', () => {
  assert.equal(utcTime(1795187745), '2026-11-20T15:15:45Z');
  assert.equal(utcTime('2026-11-20T16:15:43.823427378+01:00'), '2026-11-20T15:15:43Z');
  assert.equal(utcTime('0001-01-01T00:00:00Z'), '0001-01-01T00:00:00Z');
  assert.ok(isNever(utcTime('0001-01-01T00:00:00Z')) && isNever(utcTime(undefined)));
  assert.equal(utcTime('soon'), 'soon');
  const now = Date.parse('2026-11-21T12:00:00Z');
  assert.deepEqual(
    ['2026-11-21T11:59:51Z', '2026-11-21T11:54:51Z', '2026-11-20T09:59:57Z', '2026-11-21T12:00:05Z'].map((at) => since(at, now)),
    ['9s', '5m9s', '26h0m3s', '0s'],
  );
});

test('times of callers', () => {
  assert.equal(unixTime('1759005000'), '1759005000');
  assert.equal(unixTime('1759005000.123456789'), '1759005000.123456789');
  assert.equal(unixTime('2026-11-20T15:15:45Z'), '1795187745');
  assert.equal(unixTime('2026-11-20T16:15:45.5+01:00'), '1795187745.5');
  for (const bad of [
    '',
    'yesterday',
    '-1h',
    '2026-11-20',
    '2026-13-40T00:00:00Z',
    '1e9',
    '1759005000&x=1',
    ' 1',
    '1969-01-01T00:00:00Z',
  ]) {
    assert.equal(unixTime(bad), undefined, bad);
  }
});

test('ports', () => {
  const Ports = [
    { IP: '0.0.0.0', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' },
    { IP: '::', PrivatePort: 80, PublicPort: 8080, Type: 'tcp' },
    { PrivatePort: 53, Type: 'udp' },
  ];
  assert.equal(portsText({ Ports }), '53/udp, 0.0.0.0:8080->80/tcp, [::]:8080->80/tcp');
  assert.equal(portsText({ Ports: null }), '');
  const listed = portList({ '80/tcp': [{ HostIp: '127.0.0.1', HostPort: '8080' }], '443/tcp': null, '22/tcp': [] });
  assert.deepEqual(listed, ['22/tcp', '127.0.0.1:8080->80/tcp', '443/tcp']);
});
