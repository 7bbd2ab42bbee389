/** Proves what counts as an answer, what as none, and what is never connected to. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { describe, test } from 'node:test';
import type { NetworkPolicy } from '../../config/types.ts';
import { StewardError } from '../../errors.ts';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { dnsDouble } from '../../testing/dns-server.ts';
import { networkPing, type PingResult } from './ping.ts';

const OPEN: NetworkPolicy = { deny_private: false, deny: [] };
type Args = Parameters<typeof networkPing.run>[0];

async function listening(address = '127.0.0.1'): Promise<{ server: Server; port: number; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).destroy();
  });
  server.listen(0, address);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, connections: () => connections };
}

function ping(args: Args, files: Record<string, string> = {}, network = OPEN, signal?: AbortSignal): Promise<PingResult> {
  const given = signal === undefined ? {} : { signal };
  const tree = { 'etc/hosts': '', 'etc/resolv.conf': 'nameserver [127.0.0.1]:1\n', ...files };
  return withTree(tree, (root) => networkPing.run(args, testContext({ root, network, ...given })));
}

test('a port that answers', async () => {
  const { server, port } = await listening();
  const { latency_ms, ...rest } = await ping({ host: 'localhost', port }, { 'etc/hosts': '127.0.0.1 localhost' });
  server.close();
  assert.deepEqual(rest, { host: 'localhost', port, success: true });
  assert.ok(latency_ms > 0 && latency_ms < 1000 && latency_ms === Number(latency_ms.toFixed(3)), String(latency_ms));
});

test('the default port is 80', async () => {
  const { port } = await ping({ host: '127.0.0.1', timeout: 0.001 });
  assert.equal(port, 80);
});

test('an address that refuses is no obstacle while another answers', async () => {
  const { server, port } = await listening('127.0.0.2');
  const hosts = { 'etc/hosts': '127.0.0.3 two.test\n127.0.0.2 two.test' };
  assert.equal((await ping({ host: 'two.test', port }, hosts)).success, true);
  server.close();
});

describe('no answer is an answer', () => {
  test('refused', async () => {
    const { server, port } = await listening();
    server.close();
    await once(server, 'close');
    const seen = await ping({ host: '127.0.0.1', port });
    assert.deepEqual(seen, { host: '127.0.0.1', port, success: false, latency_ms: 0, error: 'ECONNREFUSED' });
  });

  test('no such host, no answer from the name server', async () => {
    await using server = await dnsDouble(() => 'nxdomain');
    const seen = await ping({ host: 'no.test', port: 1 }, { 'etc/resolv.conf': server.resolvConf });
    assert.deepEqual(seen, { host: 'no.test', port: 1, success: false, latency_ms: 0, error: 'no.test: no such host' });
    assert.equal((await ping({ host: 'no.test' })).error, 'no.test: lookup failed: ECONNREFUSED');
  });

  test('silence ends at the time limit, of the tool or of the call', async () => {
    await using server = await dnsDouble(() => 'silence');
    const files = { 'etc/resolv.conf': server.resolvConf };
    const began = performance.now();
    assert.equal((await ping({ host: 'slow.test', timeout: 0.2 }, files)).error, 'timed out after 0.2 seconds');
    assert.ok(performance.now() - began < 2000);
    const call = new AbortController();
    setTimeout(() => call.abort(new StewardError('timeout', { seconds: 3 })), 50);
    assert.equal((await ping({ host: 'slow.test', timeout: 60 }, files, OPEN, call.signal)).error, 'timed out after 3 seconds');
  });

  test('a caller that is gone', async () => {
    const gone = AbortSignal.abort(new StewardError('cancelled'));
    await assert.rejects(ping({ host: '127.0.0.1' }, {}, OPEN, gone), failsWith('cancelled'));
  });
});

test('bad hosts are failures', async () => {
  for (const host of ['-v', 'a b', '[::1]', 'http://x', '$(id)', 'x\n']) {
    await assert.rejects(ping({ host }), failsWith('host_invalid', { host }));
  }
});

describe('network policy', () => {
  const network = { deny_private: true, deny: [] };

  test('refuses loopback in every spelling, and nothing is connected to', async () => {
    const { server, port, connections } = await listening();
    for (const host of ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1']) {
      await assert.rejects(ping({ host, port }, {}, network), failsWith('network_private'), host);
    }
    const hosts = { 'etc/hosts': '127.0.0.1 inner.test' };
    await assert.rejects(
      ping({ host: 'inner.test', port }, hosts, network),
      failsWith('network_private', { address: ' (127.0.0.1)' }),
    );
    server.close();
    assert.equal(connections(), 0);
  });

  test('connects to the permitted one of several addresses', async () => {
    const { server, port } = await listening('127.0.0.2');
    const hosts = { 'etc/hosts': '127.0.0.1 two.test\n127.0.0.2 two.test' };
    const policy = { deny_private: false, deny: ['127.0.0.1'] };
    assert.equal((await ping({ host: 'two.test', port }, hosts, policy)).success, true);
    server.close();
  });
});
