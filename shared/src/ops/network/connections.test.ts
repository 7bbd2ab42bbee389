/** Proves the reading of socket tables on fixtures, the filters and the owners. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { describe, test } from 'node:test';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import type { OpContext } from '../operation.ts';
import { networkConnections, type ConnectionRecord } from './connections.ts';

type Args = Parameters<typeof networkConnections.run>[0];
type Given = Partial<OpContext<ConnectionRecord>>;

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const REST = '1 0000000077948e35 100 0 0 10 0';

function line(local: string, peer: string, state: string, uid: number, inode: number, queues = '00000000:00000000'): string {
  return `   0: ${local} ${peer} ${state} ${queues} 00:00000000 00000000  ${String(uid)}        0 ${String(inode)} ${REST}\n`;
}

const NO_PEER4 = '00000000:0000';
const NO_PEER6 = '00000000000000000000000000000000:0000';
const TREE = {
  'proc/net/tcp':
    HEAD +
    line('0100007F:01BB', '0200007F:9D68', '06', 0, 0) +
    line('00000000:0016', NO_PEER4, '0A', 0, 555, '00000000:00000003') +
    line('020200C0:0016', '0A0200C0:C350', '01', 1000, 600, '00000024:00000001') +
    line('0100007F:8000', '0100007F:0050', '02', 33, 601) +
    line('0100007F:8001', '0100007F:0050', '0C', 0, 0),
  'proc/net/tcp6': HEAD + line('00000000000000000000000001000000:0016', NO_PEER6, '0A', 0, 556),
  'proc/net/udp': HEAD + line('00000000:0044', NO_PEER4, '07', 100, 700) + line('020200C0:E000', '01010101:0035', '01', 100, 701),
  'proc/net/udp6': HEAD + line('0000000000000000FFFF00000100007F:0222', NO_PEER6, '07', 0, 702),
};

async function connections(args: Args, root: string, given: Given = {}): Promise<ConnectionRecord[]> {
  const context = testContext<ConnectionRecord>({ root, ...given });
  await networkConnections.run(args, context);
  return context.records;
}

describe('on a fixture', { skip: endianness() === 'BE' && 'the fixture is of a little-endian machine' }, () => {
  test('fields, order by table, port and address', async () => {
    const seen = await withTree(TREE, (root) => connections({}, root));
    assert.deepEqual(
      seen.map(({ netid, state, local_address, local_port }) => [netid, state, local_address, local_port].join(' ')),
      [
        ...['tcp LISTEN 0.0.0.0 22', 'tcp ESTAB 192.0.2.2 22', 'tcp TIME-WAIT 127.0.0.1 443'],
        ...['tcp SYN-SENT 127.0.0.1 32768', 'tcp SYN-RECV 127.0.0.1 32769', 'tcp6 LISTEN ::1 22'],
        ...['udp UNCONN 0.0.0.0 68', 'udp ESTAB 192.0.2.2 57344', 'udp6 UNCONN ::ffff:127.0.0.1 546'],
      ],
    );
    assert.deepEqual(seen[1], {
      netid: 'tcp',
      state: 'ESTAB',
      recv_q: 1,
      send_q: 36,
      local_address: '192.0.2.2',
      local_port: 22,
      peer_address: '192.0.2.10',
      peer_port: 50000,
      uid: 1000,
      inode: 600,
    });
  });

  test('equal ports and addresses are ordered by what is left: address as text, peer, inode', async () => {
    const any = [
      ['0A000001', '0100007F:0050', 9],
      ['0100007F', '0100007F:0050', 8],
      ['0100007F', '0100007F:0050', 7],
      ['0100007F', '0100000A:0050', 6],
      ['0100007F', '0200007F:0009', 5],
      ['0100000A', '0100007F:0050', 4],
    ] as const;
    const tcp = HEAD + any.map(([local, peer, inode]) => line(`${local}:0016`, peer, '01', 0, inode)).join('');
    const seen = await withTree({ 'proc/net/tcp': tcp, 'proc/net/udp': HEAD }, (root) => connections({}, root));
    assert.deepEqual(
      seen.map(({ inode }) => inode),
      [9, 4, 5, 6, 7, 8],
    );
  });

  test('names of states, in any case, with _ or -', async () => {
    await withTree(TREE, async (root) => {
      const count = async (state: string) => (await connections({ state }, root)).length;
      // TCP sockets that listen (two) and UDP sockets without a peer (two) both wait for somebody.
      const expected: Record<string, number> = {
        ...{ LISTEN: 4, listening: 4, ESTABLISHED: 2, Estab: 2, TIME_WAIT: 1, 'time-wait': 1, CLOSE_WAIT: 0, SYN_SENT: 1 },
        ...{ 'syn-recv': 1, FIN_WAIT_1: 0, 'fin-wait-2': 0, 'last-ack': 0, closing: 0, closed: 2, close: 2, UNCONN: 2 },
        ...{ connected: 5, Synchronized: 4, ALL: 9 },
      };
      for (const [state, number] of Object.entries(expected)) assert.equal(await count(state), number, state);
      const valid =
        'listen, listening, established, estab, time-wait, close-wait, syn-sent, syn-recv, fin-wait-1, fin-wait-2, last-ack, closing, closed, close, unconn, connected, synchronized, all';
      for (const state of ['open', 'listen ', 'toString', '-v']) {
        const message = `unknown connection state "${state}" (valid, case-insensitive: ${valid})`;
        await assert.rejects(count(state), { message }, state);
      }
    });
  });

  test('a port on either side', async () => {
    await withTree(TREE, async (root) => {
      assert.equal((await connections({ port: 22 }, root)).length, 3);
      assert.equal((await connections({ port: 50000 }, root)).length, 1);
      assert.equal((await connections({ port: 0 }, root)).length, 9);
      assert.equal((await connections({ port: 70000 }, root)).length, 0);
      assert.deepEqual(
        (await connections({ port: 22, state: 'listen' }, root)).map(({ netid }) => netid),
        ['tcp', 'tcp6'],
      );
    });
  });

  test('a kernel without IPv6, and one without TCP', async () => {
    const { 'proc/net/tcp': tcp, 'proc/net/udp': udp } = TREE;
    assert.equal((await withTree({ 'proc/net/tcp': tcp, 'proc/net/udp': udp }, (root) => connections({}, root))).length, 7);
    await assert.rejects(
      withTree({ 'proc/net/udp': udp }, (root) => connections({}, root)),
      failsWith('read_system', { path: '/proc/net/tcp' }),
    );
  });

  test('owners by pid and descriptor; a protected process is left out, one that hides is nobody', async () => {
    await withTree(TREE, async (root) => {
      for (const [pid, name, links] of [
        [812, 'sshd', { 3: 'socket:[555]', 4: 'socket:[556]', 5: '/dev/null', 6: 'socket:[999]' }],
        [90, 'a b\n', { 7: 'socket:[555]' }],
        [91, 'steward', { 3: 'socket:[600]' }],
      ] as const) {
        mkdirSync(`${root}/proc/${String(pid)}/fd`, { recursive: true });
        writeFileSync(`${root}/proc/${String(pid)}/comm`, `${name}\n`);
        for (const [fd, target] of Object.entries(links)) symlinkSync(target, `${root}/proc/${String(pid)}/fd/${fd}`);
      }
      mkdirSync(`${root}/proc/92`);
      const asked: string[] = [];
      const isProtected = ({ realPath }: { realPath: string }): boolean => (asked.push(realPath), realPath === '/proc/91/fd');
      const guard = { ...testContext().guard, isProtected };
      const context = testContext<ConnectionRecord>({ root, guard });
      assert.deepEqual(await networkConnections.run({}, context), { processes: true });
      const owners = new Map(context.records.map(({ inode, processes }) => [inode, processes]));
      assert.deepEqual(owners.get(555), [
        { name: 'a b\n', pid: 90, fd: 7 },
        { name: 'sshd', pid: 812, fd: 3 },
      ]);
      assert.deepEqual(owners.get(556), [{ name: 'sshd', pid: 812, fd: 4 }]);
      assert.equal(owners.get(600), undefined);
      assert.deepEqual(asked, ['/proc/90/fd', '/proc/91/fd', '/proc/812/fd'], 'whatever has descriptors to be listed');
      assert.deepEqual(await networkConnections.run({ state: 'time-wait' }, testContext({ root })), { processes: false });
    });
  });

  test('10,000 sockets come complete and in the order of their ports as numbers', async () => {
    const port = (n: number): string => (n + 1024).toString(16).toUpperCase().padStart(4, '0');
    const many = Array.from({ length: 10_000 }, (_, n) => 9999 - n)
      .map((n) => line(`0100007F:${port(n)}`, `0200007F:0050`, '01', 0, n + 1))
      .join('');
    await withTree({ ...TREE, 'proc/net/tcp': HEAD + many }, async (root) => {
      const seen = await connections({ state: 'established' }, root);
      assert.equal(seen.length, 10_001);
      const ports = seen.filter(({ netid }) => netid === 'tcp').map((socket) => socket.local_port);
      assert.deepEqual(
        ports,
        ports.toSorted((a, b) => a - b),
      );
    });
  });

  test('the end of the call ends it', async () => {
    const signal = AbortSignal.abort();
    await assert.rejects(
      withTree(TREE, (root) => connections({}, root, { signal })),
      failsWith('cancelled'),
    );
  });
});
