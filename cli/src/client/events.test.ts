/** Server-sent events, whatever way they are cut. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader, type ServerEvent } from './events.ts';

const STREAM = [
  'event: endpoint\ndata: /message?session_id=é漢😀\n\n',
  ': ping\n\n',
  'event: message\r\ndata: {"a":1}\r\n\r\n',
  'data:no blank\rdata:  two\r\r',
  'event: empty\n\n',
  'id: 7\nretry: 1\ndata\n\n',
].join('');

const EXPECTED: ServerEvent[] = [
  { name: 'endpoint', data: '/message?session_id=é漢😀' },
  { name: 'message', data: '{"a":1}' },
  { name: 'message', data: 'no blank\n two' },
  { name: 'message', data: '' },
];

function read(pieces: Iterable<Uint8Array>): ServerEvent[] {
  const events: ServerEvent[] = [];
  const reader = new EventReader((event) => events.push(event));
  for (const piece of pieces) reader.push(piece);
  return events;
}

test('fields, comments, all three line ends, events without data', () => {
  assert.deepEqual(read([Buffer.from(STREAM)]), EXPECTED);
});

test('the same events when the stream is cut anywhere, in characters too', () => {
  const bytes = Buffer.from(STREAM);
  assert.deepEqual(read(Array.from(bytes, (byte) => Uint8Array.of(byte))), EXPECTED);
  for (let at = 0; at <= bytes.length; at += 1) assert.deepEqual(read([bytes.subarray(0, at), bytes.subarray(at)]), EXPECTED);
});

test('a long line in many pieces is joined once', () => {
  const data = 'x'.repeat(1000);
  const events = read([Buffer.from('data: '), ...Array.from({ length: 5000 }, () => Buffer.from(data)), Buffer.from('\n\n')]);
  assert.equal(events[0]?.data.length, 5_000_000);
});
