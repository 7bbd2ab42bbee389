/** Proves the listing of sockets on those of this machine: our own, many, and all of them against ss(8). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { testContext } from '../../testing/context.ts';
import { networkConnections, type ConnectionRecord } from './connections.ts';

type Args = Parameters<typeof networkConnections.run>[0];

async function connections(args: Args): Promise<ConnectionRecord[]> {
  const context = testContext<ConnectionRecord>();
  await networkConnections.run(args, context);
  return context.records;
}

const SS = ['/usr/bin/ss', '/bin/ss', '/usr/sbin/ss'].find(existsSync);

describe('on this machine', () => {
  test('our own connection, with this process as its owner on both ends', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1');
    await once(client, 'connect');
    const seen = await connections({ port });
    client.destroy();
    server.close();
    assert.deepEqual(seen.map(({ state }) => state).sort(), ['ESTAB', 'ESTAB', 'LISTEN']);
    const own = seen.filter(({ processes }) => processes?.some(({ pid }) => pid === process.pid) === true);
    assert.equal(own.length, 3);
    assert.ok(seen.some(({ local_port, peer_address }) => local_port === client.localPort || peer_address === '127.0.0.1'));
  });

  test('several pages of sockets', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const clients = Array.from({ length: 150 }, () => connect(port, '127.0.0.1'));
    await Promise.all(clients.map((client) => once(client, 'connect')));
    const seen = await connections({ port, state: 'established' });
    const own = [...Float64Array.from(clients, ({ localPort = 0 }) => localPort).sort()];
    for (const client of clients) client.destroy();
    server.close();
    const ports = seen.filter(({ peer_port }) => peer_port === port).map(({ local_port }) => local_port);
    assert.deepEqual(ports, own);
    assert.equal(seen.filter(({ local_port }) => local_port === port).length, clients.length);
  });

  test('the same sockets as ss', { skip: SS === undefined && 'ss is not installed' }, async () => {
    const servers = ['127.0.0.1', '::', '0.0.0.0'].map((address) => createServer().listen(0, address));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    assert.deepEqual(await missing(listedByUs, listedBySs), [], 'ss lacks these');
    assert.deepEqual(await missing(listedBySs, listedByUs), [], 'we lack these');
    for (const server of servers) server.close();
  });
});

type Listing = () => Set<string> | Promise<Set<string>>;

/** Sockets come and go: what `outer` lists both before and after `inner`, but `inner` does not. */
async function missing(outer: Listing, inner: Listing): Promise<string[]> {
  const before = await outer();
  const seen = await inner();
  const after = await outer();
  return [...before].filter((socket) => after.has(socket) && !seen.has(socket));
}

async function listedByUs(): Promise<Set<string>> {
  const line = (socket: ConnectionRecord): string => {
    const local = `${socket.local_address}:${String(socket.local_port)}`;
    return `${socket.netid.replace('6', '')} ${socket.state} ${local} ${socket.peer_address}:${String(socket.peer_port)}`;
  };
  return new Set((await connections({})).map(line));
}

function listedBySs(): Set<string> {
  const lines = execFileSync(SS ?? '', ['-tuanH'], { encoding: 'utf8' })
    .split('\n')
    .filter((text) => text !== '');
  return new Set(
    lines.map((text) => {
      const [netid = '', state = '', , , local = '', peer = ''] = text.split(/\s+/);
      return `${netid} ${state} ${plainAddress(local)} ${plainAddress(peer)}`;
    }),
  );
}

/** ss writes brackets, a device behind %, `*` for any port, and `*` for an IPv6 socket that takes IPv4 too. */
function plainAddress(address: string): string {
  return address
    .replace(/%[^:\]]+/, '')
    .replace(/[[\]]/g, '')
    .replace(/^\*:/, ':::')
    .replace(/:\*$/, ':0');
}
