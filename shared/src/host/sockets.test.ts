/** Proves the parsing of the kernel's socket tables where its lines are longer, or others, than usual. */
import assert from 'node:assert/strict';
import { endianness } from 'node:os';
import { test } from 'node:test';
import { withTree } from '../testing/context.ts';
import { readSocketTable, TableParser } from './sockets.ts';

const skip = endianness() === 'BE' && 'the lines are of a little-endian machine';
const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';

function parsed(text: string): TableParser {
  const parser = new TableParser('tcp');
  parser.take(text);
  return parser;
}

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
  const { table } = parsed(text);
  assert.deepEqual(table.uids, [1000, 4294967294, 1000, 1000, 1000]);
  assert.deepEqual(table.inodes, [42, 9007199254740991, 43, 1234567, 0]);
  assert.deepEqual([table.localPorts[1], table.peerPorts[1]], [32768, 80]);
  const addresses = [...table.localAddresses, ...table.peerAddresses].map((address) => table.addresses[address]);
  assert.deepEqual(addresses, [...Array.from({ length: 5 }, () => '127.0.0.1'), ...Array.from({ length: 5 }, () => '127.0.0.2')]);
  assert.equal(table.statuses[1]?.recv_q, 10);
  assert.deepEqual(
    table.statuses.map(({ state, send_q: queue }) => [state, queue]),
    [...Array.from({ length: 4 }, () => ['ESTAB', 1]), ['TIME-WAIT', 0]],
  );
});

test('each socket has its own addresses, also between others; a line that ends too early is no socket', { skip }, () => {
  const line = (local: string, peer: string, inode: string): string =>
    `   0: ${local}:0016 ${peer}:0050 01 00000000:00000000 00:00000000 00000000     0        0 ${inode}`;
  const text = [
    line('0100007F', '0200007F', '1 2'),
    line('0200007F', '0200007F', '2 2'),
    line('0200007F', '0200007F', ''),
    line('0100007F', '0100007F', '3 2'),
    line('00000000', '0200007F', '4'),
  ];
  const { addresses, localAddresses, peerAddresses, inodes } = parsed(text.join('\n')).table;
  assert.deepEqual(inodes, [1, 2, 3, 4]);
  assert.deepEqual(
    inodes.map((_, socket) => `${addresses[localAddresses[socket] ?? 9] ?? ''} ${addresses[peerAddresses[socket] ?? 9] ?? ''}`),
    ['127.0.0.1 127.0.0.2', '127.0.0.2 127.0.0.2', '127.0.0.1 127.0.0.1', '0.0.0.0 127.0.0.2'],
  );
  assert.equal(addresses.length, 3);
});

test('a table is read to its end, wherever in a page that is', { skip }, async () => {
  const line = (inode: number, width: number): string =>
    `${`   0: 0100007F:0016 0200007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 ${String(inode)} 1`.padEnd(width)}\n`;
  for (const width of [127, 149, 255, 340]) {
    for (const count of [0, 1, 11, 12, 13, 14, 15, 16, 27, 28, 31, 32, 33, 300, 1024, 2048, 3000]) {
      const text = `${HEAD.padEnd(width)}\n${Array.from({ length: count }, (_, n) => line(n + 1, width)).join('')}`;
      const { inodes } = await withTree({ 'proc/net/tcp': text }, (root) => readSocketTable(root, 'tcp'));
      assert.deepEqual([inodes.length, inodes.at(-1) ?? 0], [count, count]);
    }
  }
});
