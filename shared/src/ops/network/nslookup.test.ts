/** Proves look-ups against a name server on loopback: every type, the order of sources, failures, and what the policy keeps back. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NetworkPolicy } from '../../config/types.ts';
import { StewardError } from '../../errors.ts';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { dnsDouble, type DnsReply } from '../../testing/dns-server.ts';
import { networkNslookup, type NslookupResult } from './nslookup.ts';

const OPEN: NetworkPolicy = { deny_private: false, deny: [] };
type Args = Parameters<typeof networkNslookup.run>[0];

interface Seen {
  readonly result: NslookupResult;
  readonly queries: readonly string[];
}

async function lookup(
  answer: (name: string, type: string) => DnsReply,
  args: Args,
  { network = OPEN, hosts = '', signal }: { network?: NetworkPolicy; hosts?: string; signal?: AbortSignal } = {},
): Promise<Seen> {
  await using server = await dnsDouble(answer);
  return await withTree(
    { 'etc/hosts': hosts, 'etc/resolv.conf': `# test\n${server.resolvConf}search x.test\n` },
    async (root) => {
      const context = testContext({ root, network, ...(signal === undefined ? {} : { signal }) });
      return { result: await networkNslookup.run(args, context), queries: server.queries };
    },
  );
}

const ZONE: Readonly<Record<string, DnsReply>> = {
  A: ['192.0.2.1', '10.0.0.1'],
  AAAA: ['2001:db8::1'],
  CNAME: ['web.example.org'],
  TXT: [['v=spf1 ', '-all'], ['two']],
  MX: ['10 mail.example.com', '20 mail.example.net'],
  NS: ['ns1.example.com'],
};
const zone = (_name: string, type: string): DnsReply => ZONE[type] ?? 'nxdomain';

test('ANY is every type in turn', async () => {
  const { result, queries } = await lookup(zone, { host: 'Example.com' });
  assert.deepEqual(result, {
    host: 'Example.com',
    records: [
      { type: 'A', value: '192.0.2.1' },
      { type: 'A', value: '10.0.0.1' },
      { type: 'AAAA', value: '2001:db8::1' },
      { type: 'CNAME', value: 'web.example.org.' },
      { type: 'TXT', value: 'v=spf1 -all' },
      { type: 'TXT', value: 'two' },
      { type: 'MX', value: '10 mail.example.com.' },
      { type: 'MX', value: '20 mail.example.net.' },
      { type: 'NS', value: 'ns1.example.com.' },
    ],
  });
  assert.deepEqual(
    queries.map((query) => query.split(' ')[0]),
    ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'NS'],
  );
});

test('one type asks one question; a name without such records has none', async () => {
  const mx = await lookup(zone, { host: 'example.com', record_type: 'MX' });
  assert.deepEqual(mx.queries, ['MX example.com']);
  assert.equal(mx.result.records.length, 2);
  assert.deepEqual((await lookup(() => [], { host: 'example.com', record_type: 'TXT' })).result, {
    host: 'example.com',
    records: [],
  });
});

test('types without an answer are left out of ANY', async () => {
  const { result } = await lookup((_, type) => (type === 'MX' ? ['5 m.test'] : type === 'TXT' ? 'servfail' : []), {
    host: 'x.test',
  });
  assert.deepEqual(result.records, [{ type: 'MX', value: '5 m.test.' }]);
});

describe('/etc/hosts', () => {
  const hosts =
    '127.0.0.1 localhost\n192.0.2.7\tDB.test db # comment\n2001:db8::7 db.test\n#192.0.2.8 db.test\nnonsense db.test\n';

  test('comes first for addresses', async () => {
    const { result, queries } = await lookup(() => 'nxdomain', { host: 'db.TEST' }, { hosts });
    assert.deepEqual(result.records, [
      { type: 'A', value: '192.0.2.7' },
      { type: 'AAAA', value: '2001:db8::7' },
    ]);
    assert.deepEqual(queries, ['CNAME db.test'], 'that the name does not exist is said once for all types');
  });

  test('is not asked for other records', async () => {
    const { queries } = await lookup(() => [], { host: 'db', record_type: 'NS' }, { hosts });
    assert.deepEqual(queries, ['NS db']);
  });
});

test('an address is answered as itself, in every spelling', async () => {
  for (const [host, record] of [
    ['192.0.2.1', { type: 'A', value: '192.0.2.1' }],
    ['0x7f.1', { type: 'A', value: '127.0.0.1' }],
    ['2001:db8::1', { type: 'AAAA', value: '2001:db8::1' }],
  ] as const) {
    const { result, queries } = await lookup(zone, { host });
    assert.deepEqual([result, queries], [{ host, records: [record] }, []]);
  }
});

describe('failures', () => {
  test('a name that does not exist is asked for once', async () => {
    await assert.rejects(
      lookup(() => 'nxdomain', { host: 'no.test' }),
      failsWith('host_not_found', { host: 'no.test' }),
    );
  });

  test('a server that fails', async () => {
    await assert.rejects(
      lookup(() => 'servfail', { host: 'x.test', record_type: 'A' }),
      failsWith('lookup_failed', { reason: 'ESERVFAIL' }),
    );
  });

  test('a server that is silent: two tries, then the text', { timeout: 20_000 }, async () => {
    const queries: string[] = [];
    const silent = (name: string, type: string): DnsReply => (queries.push(`${type} ${name}`), 'silence');
    const began = performance.now();
    await assert.rejects(lookup(silent, { host: 'x.test', record_type: 'A' }), failsWith('lookup_timeout', { host: 'x.test' }));
    const seconds = (performance.now() - began) / 1000;
    assert.deepEqual(queries, ['A x.test', 'A x.test']);
    assert.ok(seconds > 4.5 && seconds < 7.5, `${String(seconds)} s`);
  });

  test('the end of the call ends the look-up at once', async () => {
    const time = AbortSignal.any([AbortSignal.timeout(100)]);
    const controller = new AbortController();
    time.addEventListener('abort', () => controller.abort(new StewardError('timeout', { seconds: 1 })));
    const call = lookup(() => 'silence', { host: 'x.test' }, { signal: controller.signal });
    await assert.rejects(call, failsWith('lookup_timeout'));
    const gone = AbortSignal.abort(new StewardError('cancelled'));
    await assert.rejects(
      lookup(() => 'silence', { host: 'x.test' }, { signal: gone }),
      failsWith('cancelled'),
    );
  });

  test('no host', async () => {
    await assert.rejects(lookup(zone, { host: '-x' }), failsWith('host_invalid', { host: '-x' }));
  });
});

describe('network policy', () => {
  test('a refused name is not asked for', async () => {
    await using server = await dnsDouble(zone);
    await withTree({ 'etc/resolv.conf': server.resolvConf }, async (root) => {
      const denied = testContext({ root, network: { deny_private: false, deny: ['*.bad.test'] } });
      await assert.rejects(
        networkNslookup.run({ host: 'x.bad.test' }, denied),
        failsWith('network_denied', { list: 'deny list', address: '' }),
      );
      const unlisted = testContext({ root, network: { deny_private: false, deny: [], allow: ['ok.test'] } });
      await assert.rejects(
        networkNslookup.run({ host: 'x.test' }, unlisted),
        failsWith('network_denied', { list: 'allow list' }),
      );
    });
    assert.deepEqual(server.queries, []);
  });

  test('a refused address', async () => {
    const network = { deny_private: true, deny: [] };
    await assert.rejects(
      lookup(zone, { host: '127.1' }, { network }),
      failsWith('network_private', { host: '127.0.0.1', address: '' }),
    );
  });

  test('records that lead to what is refused are counted, not shown', async () => {
    const network = { deny_private: true, deny: ['mail.example.com', '*.example.org', '2001:db8::/32'] };
    const { result } = await lookup(zone, { host: 'x.test' }, { network });
    assert.equal(result.withheld, 4);
    assert.deepEqual(
      result.records.map(({ value }) => value),
      ['192.0.2.1', 'v=spf1 -all', 'two', '20 mail.example.net.', 'ns1.example.com.'],
    );
  });

  test('without a policy nothing is asked for', async () => {
    await assert.rejects(networkNslookup.run({ host: 'x.test' }, testContext()), /without a network policy/);
  });
});
