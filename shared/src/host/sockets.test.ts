/** Proves the parsing of the kernel's socket tables where its lines are longer, or others, than usual. */
import assert from 'node:assert/strict';
import { endianness } from 'node:os';
import { test } from 'node:test';
import { parseSocketTable } from './sockets.ts';

const skip = endianness() === 'BE' && 'the lines are of a little-endian machine';
const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';

test('lines as the kernel pads them, long numbers, lines that are no socket', { skip }, () => {
  const of = (uid: string, inode: string, sl = '   0'): string =>
    `${sl}: 0100007F:8000 0200007F:0050 01 00000001:0000000A 01:00000014 00000000 ${uid} ${inode} 2 ffff888003d0a300 20 4 30 10 -1`;
  const text = [
    HEAD,
    of(' 1000        0', '42').padEnd(149),
    of('4294967294 12345678', '9007199254740991', '123456'),
    of('    0        0', '7').replace(' 01 0', ' 0D 0'),
    '   4: 0100007F',
    of(' 1000        0', '43'),
    of(' 1000        0', '1234567').replace(' 01:00000014', ' 03:00000C5E'),
    of(' 1000        0', '0').replace(' 01 00000001', ' 06 00000000'),
    '',
  ].join('\n');
  const seen = parseSocketTable('tcp', text);
  assert.deepEqual(
    seen.map(({ uid, inode }) => [uid, inode]),
    [
      [1000, 42],
      [4294967294, 9007199254740991],
      [1000, 43],
      [1000, 1234567],
      [1000, 0],
    ],
  );
  const { local_address, local_port, peer_address, peer_port, send_q, recv_q } = seen[1] ?? {};
  assert.deepEqual([local_address, local_port, peer_address, peer_port], ['127.0.0.1', 32768, '127.0.0.2', 80]);
  assert.deepEqual([send_q, recv_q], [1, 10]);
  assert.deepEqual(
    seen.map(({ state, send_q: queue }) => [state, queue]),
    [...Array.from({ length: 4 }, () => ['ESTAB', 1]), ['TIME-WAIT', 0]],
  );
});
