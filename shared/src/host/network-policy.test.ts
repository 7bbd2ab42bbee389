/** Proves which hosts and addresses a policy refuses, in every spelling, and in which words. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NetworkPolicy, UserGrants } from '../config/types.ts';
import { failsWith } from '../testing/context.ts';
import { destinationOf, parseDestination } from './destination.ts';
import { permittedAddresses, policyFor, refuseAddress, refuseName, refuseUnresolved, requirePolicy } from './network-policy.ts';

const OPEN: NetworkPolicy = { deny_private: false, deny: [] };
const PUBLIC_ONLY: NetworkPolicy = { deny_private: true, deny: [] };

function refusal(policy: NetworkPolicy, host: string, address: string): string | undefined {
  return refuseAddress(policy, parseDestination(host), address)?.message;
}

/** What a URL with this host is refused with, before any look-up. */
function refusedUrl(policy: NetworkPolicy, host: string): string | undefined {
  return refuseName(policy, destinationOf(new URL(`http://${host}/`)))?.message;
}

describe('spellings of one address', () => {
  const LOOPBACK = ['127.0.0.1', '0x7f.1', '127.1', '0177.0.0.1', '2130706433', '0x7f000001', '127.0.0.1.', '017700000001'];
  for (const host of LOOPBACK) {
    test(`${host} is 127.0.0.1`, () => {
      assert.equal(refuseName(PUBLIC_ONLY, parseDestination(host))?.key, 'network_private');
      assert.match(
        refusedUrl(PUBLIC_ONLY, host) ?? '',
        /^destination 127\.0\.0\.1 is a private\/internal address, blocked by this user's/,
      );
    });
  }

  const PRIVATE_V6 = [
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:a9fe:a9fe]',
    '[fc00::1]',
    '[fe80::1]',
  ];
  const WRAPPED = [
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe:1::5]',
    '[::127.0.0.1]',
    '[ff02::1]',
  ];
  for (const host of [...PRIVATE_V6, ...WRAPPED]) {
    test(`${host} is private`, () => {
      assert.match(refusedUrl(PUBLIC_ONLY, host) ?? '', /is a private\/internal address/);
    });
  }

  test('public addresses are not private', () => {
    for (const host of [
      '[2001:db8::1]',
      '[64:ff9b::8.8.8.8]',
      '[2002:808:808::1]',
      '8.8.8.8',
      '172.15.0.1',
      '172.32.0.1',
      '11.0.0.1',
    ]) {
      assert.equal(refusedUrl(PUBLIC_ONLY, host), undefined, host);
    }
  });

  test('what is neither a name nor an address is refused', () => {
    for (const host of [
      '',
      '-x',
      '.x',
      'a b',
      'a$b',
      '1.2.3.4.5',
      'x.1',
      '256.1.1.1',
      'ä.example',
      '[::1]',
      'x'.repeat(254),
      'a\n',
    ]) {
      assert.throws(() => parseDestination(host), failsWith('host_invalid', { host }), host);
    }
  });

  test('a zone does not hide the address', () => {
    assert.match(refusal(PUBLIC_ONLY, 'fe80::1%eth0', 'fe80::1%eth0') ?? '', /^destination fe80::1%eth0 is a private/);
  });
});

test('every private network, at its edges', () => {
  const inside = [
    ...[
      '0.0.0.0',
      '10.255.255.255',
      '100.64.0.0',
      '100.127.255.255',
      '169.254.169.254',
      '172.16.0.0',
      '172.31.255.255',
      '192.0.0.255',
    ],
    ...['192.168.1.1', '198.18.0.0', '198.19.255.255', '224.0.0.1', '255.255.255.255', 'fdff::1', 'febf::1'],
  ];
  const outside = [
    '1.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '192.0.1.0',
    '198.20.0.0',
    '223.255.255.255',
    'fec0::1',
    '::2:0:0:1',
  ];
  for (const address of inside) {
    assert.equal(
      refusal(PUBLIC_ONLY, 'db.example.com', address),
      `destination db.example.com (${address}) is a private/internal address, blocked by this user's network policy (deny_private)`,
    );
  }
  for (const address of outside) assert.equal(refusal(PUBLIC_ONLY, 'db.example.com', address), undefined, address);
});

describe('deny list', () => {
  const policy: NetworkPolicy = { deny_private: false, deny: ['10.0.0.0/8', 'Bad.example.com', '*.evil.test', '2001:db8::5'] };

  test('names, without asking for addresses; case and a final dot do not matter', () => {
    const text = "destination BAD.example.com. is blocked by this user's network policy (deny list)";
    assert.equal(refuseName(policy, parseDestination('BAD.example.com.'))?.message, text);
    assert.equal(refuseName(policy, parseDestination('a.b.evil.test'))?.key, 'network_denied');
    for (const name of ['evil.test', 'notevil.test', 'xbad.example.com'])
      assert.equal(refuseName(policy, parseDestination(name)), undefined);
  });

  test('addresses in every form', () => {
    const text = "destination x.test (10.1.2.3) is blocked by this user's network policy (deny list)";
    assert.equal(refusal(policy, 'x.test', '10.1.2.3'), text);
    for (const address of ['::ffff:10.1.2.3', '64:ff9b::a01:203', '2002:a01:203::1', '2001:DB8:0::5']) {
      assert.match(refusal(policy, 'x.test', address) ?? '', /deny list/, address);
    }
    assert.equal(refusal(policy, 'x.test', '11.1.2.3'), undefined);
    assert.equal(
      refusal(policy, '10.0.0.1', '10.0.0.1'),
      "destination 10.0.0.1 is blocked by this user's network policy (deny list)",
    );
  });

  test('wins over the allow list', () => {
    assert.match(refusal({ ...policy, allow: ['10.0.0.0/8', 'x.test'] }, 'x.test', '10.1.2.3') ?? '', /deny list/);
  });

  test('a network of one family says nothing about the other', () => {
    assert.equal(refusal({ deny_private: false, deny: ['::/0'] }, 'x.test', '8.8.8.8'), undefined);
    assert.equal(refusal({ deny_private: false, deny: ['0.0.0.0/0'] }, 'x.test', '2001:db8::1'), undefined);
  });
});

describe('allow list', () => {
  test('empty permits nothing, not even a look-up', () => {
    const text = "destination x.test is blocked by this user's network policy (allow list)";
    assert.equal(refuseName({ ...OPEN, allow: [] }, parseDestination('x.test'))?.message, text);
    assert.match(refusal({ ...OPEN, allow: [] }, '8.8.8.8', '8.8.8.8') ?? '', /allow list/);
  });

  test('with names only, other names are refused before any look-up', () => {
    const policy = { ...OPEN, allow: ['a.test', '*.b.test'] };
    assert.equal(refuseName(policy, parseDestination('c.test'))?.key, 'network_denied');
    assert.equal(refuseName(policy, parseDestination('b.test'))?.key, 'network_denied');
    assert.equal(refuseName(policy, parseDestination('A.test')), undefined);
    assert.equal(refuseName({ ...OPEN, allow: ['a.test', '10.0.0.1'] }, parseDestination('c.test')), undefined);
  });

  test('an exact name or an address entry may be private, a name below a domain may not', () => {
    const policy: NetworkPolicy = { deny_private: true, deny: [], allow: ['10.0.5.0/24', 'db.test', '*.corp.test'] };
    assert.equal(refusal(policy, 'any.test', '10.0.5.9'), undefined);
    assert.equal(refusal(policy, 'db.test', '192.168.0.1'), undefined);
    assert.match(refusal(policy, 'x.corp.test', '192.168.0.1') ?? '', /deny_private/);
    assert.equal(refusal(policy, 'x.corp.test', '8.8.8.8'), undefined);
    assert.equal(
      refusal(policy, 'any.test', '8.8.8.8'),
      "destination any.test (8.8.8.8) is blocked by this user's network policy (allow list)",
    );
  });

  test('a listed IPv6 network does not open the private IPv4 addresses inside it', () => {
    const policy: NetworkPolicy = { deny_private: true, deny: [], allow: ['64:ff9b::/96'] };
    assert.equal(refusal(policy, 'x.test', '64:ff9b::8.8.8.8'), undefined);
    assert.match(refusal(policy, 'x.test', '64:ff9b::10.0.0.1') ?? '', /deny_private/);
  });
});

test('a host without addresses is judged by its name', () => {
  assert.equal(refuseUnresolved(OPEN, parseDestination('x.test')), undefined);
  assert.equal(refuseUnresolved({ ...OPEN, allow: ['10.0.0.0/8', '*.ok.test'] }, parseDestination('y.ok.test')), undefined);
  assert.equal(refuseUnresolved({ ...OPEN, allow: ['10.0.0.0/8'] }, parseDestination('x.test'))?.key, 'network_denied');
});

test('refused addresses are skipped while another is permitted', () => {
  const host = parseDestination('two.test');
  assert.deepEqual(permittedAddresses(PUBLIC_ONLY, host, ['10.0.0.1', '8.8.8.8', '::1', '9.9.9.9']), ['8.8.8.8', '9.9.9.9']);
  assert.throws(
    () => permittedAddresses(PUBLIC_ONLY, host, ['10.0.0.1', '::1']),
    failsWith('network_private', { address: ' (10.0.0.1)' }),
  );
});

test('the policy of a grant takes the place of the general one, whether or not the grant allows root', () => {
  const own: NetworkPolicy = { deny_private: true, deny: ['x.test'] };
  const grants: UserGrants = { tools: { 'network/curl': { allowed: false, network: own, line: 1 } }, resources: {} };
  assert.equal(policyFor('network/curl', grants, { network: OPEN }), own);
  assert.equal(policyFor('network/ping', grants, { network: OPEN }), OPEN);
  assert.equal(policyFor('toString', grants, { network: OPEN }), OPEN);
  assert.equal(requirePolicy(own), own);
  assert.throws(() => requirePolicy(undefined), /without a network policy/);
});
