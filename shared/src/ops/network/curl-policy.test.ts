/** Proves that no spelling, name, redirect, header or change of an answer leads where the network policy forbids. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NetworkPolicy } from '../../config/types.ts';
import { failsWith } from '../../testing/context.ts';
import { curl } from '../../testing/curl.ts';
import { dnsDouble } from '../../testing/dns-server.ts';
import { httpDouble } from '../../testing/http-server.ts';

const PUBLIC_ONLY: NetworkPolicy = { deny_private: true, deny: [] };

describe('deny_private', () => {
  const HOSTS = [
    ...[
      '127.0.0.1',
      '[::1]',
      '0x7f.1',
      '127.1',
      '2130706433',
      '0177.0.0.1',
      '127.0.0.1.',
      '%31%32%37.0.0.1',
      '１２７.0.0.1',
      '0',
    ],
    ...[
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::1]',
      '[::127.0.0.1]',
      '[::]',
    ],
    ...['169.254.169.254', '[fd00:ec2::254]', '10.0.0.1', '192.168.0.1', '[fe80::1]', '100.64.0.1', '224.0.0.1'],
  ];
  test('refuses every spelling of a private address, and nothing is connected to', async () => {
    await using server = await httpDouble((_, response) => response.end());
    for (const host of HOSTS) {
      const url = `http://${host}:${String(server.port)}/`;
      await assert.rejects(curl({ url }, { network: PUBLIC_ONLY }), failsWith('network_private', { address: '' }), host);
    }
    assert.equal(server.seen.length, 0);
  });

  test('refuses a name that resolves to a private address, in DNS or in /etc/hosts', async () => {
    await using dns = await dnsDouble((_, type) =>
      type === 'A' ? ['10.0.0.7'] : ['::ffff:10.0.0.8'.replace('10.0.0.8', 'a00:8')],
    );
    const files = { 'etc/resolv.conf': dns.resolvConf, 'etc/hosts': '127.0.0.1 inner.test\n' };
    const refused = (address: string) => failsWith('network_private', { address: ` (${address})` });
    await assert.rejects(curl({ url: 'http://x.test/' }, { network: PUBLIC_ONLY, files }), refused('10.0.0.7'));
    await assert.rejects(curl({ url: 'http://INNER.test/' }, { network: PUBLIC_ONLY, files }), refused('127.0.0.1'));
  });
});

describe('redirects', () => {
  test('to a refused address, by address and by name, from a permitted one', async () => {
    await using inner = await httpDouble((_, response) => response.end('inner'), { address: '127.0.0.2' });
    await using outer = await httpDouble(({ url }, response) => response.writeHead(302, { location: url.slice(1) }).end());
    const network = { deny_private: false, deny: ['127.0.0.2', '*.bad.test'] };
    const port = String(inner.port);
    const files = { 'etc/hosts': '127.0.0.2 inner.test\n127.0.0.1 outer.test\n' };
    for (const host of ['127.0.0.2', '127.2', '[::ffff:127.0.0.2]', 'inner.test', 'x.bad.test']) {
      const url = `http://outer.test:${String(outer.port)}/http://${host}:${port}/`;
      await assert.rejects(curl({ url }, { network, files }), failsWith('network_denied', { list: 'deny list' }), host);
    }
    assert.deepEqual([inner.seen.length, outer.seen.length], [0, 5]);
  });

  test('to a private address', async () => {
    await using inner = await httpDouble((_, response) => response.end('inner'), { address: '127.0.0.2' });
    await using outer = await httpDouble(({ url }, response) => response.writeHead(302, { location: url.slice(1) }).end());
    const network = { deny_private: true, deny: [], allow: ['outer.test', '8.8.8.8/32', '*.inner.test'] };
    const files = { 'etc/hosts': '127.0.0.1 outer.test\n127.0.0.2 a.inner.test\n' };
    const url = `http://outer.test:${String(outer.port)}/http://a.inner.test:${String(inner.port)}/`;
    await assert.rejects(curl({ url }, { network, files }), failsWith('network_private', { address: ' (127.0.0.2)' }));
    assert.deepEqual([inner.seen.length, outer.seen.length], [0, 1]);
  });

  test('out of the allow list', async () => {
    await using outer = await httpDouble((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
    const network = { deny_private: true, deny: [], allow: ['outer.test'] };
    const files = { 'etc/hosts': '127.0.0.1 outer.test\n' };
    const url = `http://outer.test:${String(outer.port)}/`;
    await assert.rejects(
      curl({ url }, { network, files }),
      failsWith('network_denied', { host: '169.254.169.254', list: 'allow list' }),
    );
    assert.equal(outer.seen.length, 1);
  });
});

test('a name that changes its answer between look-up and connection: the judged address is used', async () => {
  await using forbidden = await httpDouble((_, response) => response.end('forbidden'));
  await using permitted = await httpDouble((_, response) => response.end('permitted'), { address: '127.0.0.2' });
  const answer = (type: string, before: number) => (type !== 'A' ? [] : before === 0 ? ['127.0.0.2'] : ['127.0.0.1']);
  await using dns = await dnsDouble((_, type, before) => answer(type, before));
  const network = { deny_private: false, deny: ['127.0.0.1'] };
  const files = { 'etc/resolv.conf': dns.resolvConf };
  const url = `http://rebind.test:${String(permitted.port)}/`;
  assert.equal((await curl({ url }, { network, files })).body, 'permitted');
  assert.deepEqual(
    dns.queries.filter((query) => query.startsWith('A ')),
    ['A rebind.test'],
    'asked once',
  );
  assert.equal(permitted.seen[0]?.address, '127.0.0.2');
  // The second request hears the second answer, and that is judged again.
  await assert.rejects(curl({ url }, { network, files }), failsWith('network_denied', { address: ' (127.0.0.1)' }));
  assert.equal(forbidden.seen.length, 0);
});

test('the permitted one of several addresses is connected to', async () => {
  await using server = await httpDouble(({ address }, response) => response.end(address), { address: '127.0.0.2' });
  await using dns = await dnsDouble((_, type) => (type === 'A' ? ['127.0.0.1', '127.0.0.2'] : ['::1']));
  const network = { deny_private: false, deny: ['127.0.0.1', '::/0'] };
  const url = `http://two.test:${String(server.port)}/`;
  assert.equal((await curl({ url }, { network, files: { 'etc/resolv.conf': dns.resolvConf } })).body, '127.0.0.2');
});

describe('a Host header is judged like the host of the URL', () => {
  const allowed: NetworkPolicy = { deny_private: true, deny: [], allow: ['front.test', '*.ok.test'] };

  test('names, addresses and what names resolve to', async () => {
    await using server = await httpDouble((_, response) => response.end('fine'));
    const files = { 'etc/hosts': '127.0.0.1 front.test inner.ok.test\n' };
    const ask = (Host: string, network = allowed) =>
      curl({ url: `http://front.test:${String(server.port)}/`, headers: { Host } }, { network, files });
    await assert.rejects(ask('other.test'), failsWith('network_denied', { host: 'other.test', list: 'allow list' }));
    await assert.rejects(ask('169.254.169.254:80'), failsWith('network_denied', { host: '169.254.169.254' }));
    await assert.rejects(ask('0x7f.1'), failsWith('network_denied', { host: '127.0.0.1' }));
    await assert.rejects(ask('inner.ok.test'), failsWith('network_private', { host: 'inner.ok.test' }));
    await assert.rejects(ask('[::1]:8080', { ...allowed, allow: ['front.test', '10.0.0.0/8'] }), failsWith('network_denied'));
    assert.equal(server.seen.length, 0);
    assert.equal((await ask('front.test')).body, 'fine');
  });

  test('a name that does not exist is judged by its name', async () => {
    await using server = await httpDouble((_, response) => response.end('fine'));
    await using dns = await dnsDouble(() => 'nxdomain');
    const files = { 'etc/hosts': '127.0.0.1 front.test\n', 'etc/resolv.conf': dns.resolvConf };
    const ask = (Host: string, network: NetworkPolicy) =>
      curl({ url: `http://front.test:${String(server.port)}/`, headers: { Host } }, { network, files });
    assert.equal((await ask('new.ok.test', allowed)).body, 'fine');
    assert.equal((await ask('new.test', { deny_private: false, deny: [] })).body, 'fine');
    const byAddress = { deny_private: false, deny: [], allow: ['127.0.0.0/8'] };
    await assert.rejects(
      ask('new.test', byAddress),
      failsWith('network_denied', { host: 'new.test', address: '', list: 'allow list' }),
    );
  });
});
