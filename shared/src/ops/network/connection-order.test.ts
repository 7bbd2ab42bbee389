/** Proves the order of sockets against a comparison of two at a time, also where ports and addresses do not fit into one number. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SocketTable } from '../../host/sockets.ts';
import { random } from '../../testing/tree.ts';
import { inOrder } from './connection-order.ts';

const ADDRESSES = ['127.0.0.1', '10.0.0.2', '0.0.0.0', '10.0.0.10', '192.0.2.7'];

/** Few ports and addresses, so that many sockets are the same but for their inode. */
function madeTable(count: number, ports: number): SocketTable {
  const next = random(count);
  const below = (limit: number): number => Math.floor(next() * limit);
  const table = new SocketTable('tcp', ADDRESSES);
  for (let socket = 0; socket < count; socket++) {
    table.localPorts.push(65_536 - ports + below(ports));
    table.localAddresses.push(below(ADDRESSES.length));
    table.peerPorts.push(below(ports));
    table.peerAddresses.push(below(ADDRESSES.length));
    table.inodes.push(below(2 ** 40));
  }
  return table;
}

type Key = readonly (string | number)[];

function expected(table: SocketTable, sockets: readonly number[]): readonly number[] {
  const keyOf = (socket: number): Key => [
    table.localPorts[socket] ?? 0,
    ADDRESSES[table.localAddresses[socket] ?? 0] ?? '',
    table.peerPorts[socket] ?? 0,
    ADDRESSES[table.peerAddresses[socket] ?? 0] ?? '',
    table.inodes[socket] ?? 0,
  ];
  return sockets.toSorted((a, b) => compared(keyOf(a), keyOf(b)));
}

function compared(one: Key, other: Key): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) < (other[at] ?? 0) ? -1 : 1;
}

test('by local port and address, then by peer, then by inode', () => {
  for (const [count, ports] of [
    [0, 1],
    [1, 1],
    [500, 1],
    [3000, 4],
    [3000, 60_000],
  ] as const) {
    const table = madeTable(count, ports);
    const all = [...table.inodes.keys()];
    const some = all.filter((socket) => socket % 3 > 0);
    for (const sockets of [all, some]) {
      for (const exact of [undefined, 0]) assert.deepEqual(inOrder(table, sockets, exact), expected(table, sockets));
    }
  }
});
