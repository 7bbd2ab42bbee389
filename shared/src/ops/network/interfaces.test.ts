/** Proves interfaces, their addresses and routes on fixture trees, and against ip(8) on this machine. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { endianness } from 'node:os';
import { describe, test } from 'node:test';
import { readInterfaces, type NetworkInterface } from '../../host/interfaces.ts';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { networkInterfaces } from './interfaces.ts';
import { networkRoutes } from './routes.ts';

interface Device {
  readonly index: number;
  readonly flags: string;
  readonly operstate?: string;
  readonly address?: string;
  readonly mtu?: number;
  readonly rx_bytes?: number;
}

/** Files of /sys/class/net, with a file of the bonding driver among them. */
function sysfs(devices: Readonly<Record<string, Device>>): Record<string, string> {
  const files: Record<string, string> = { 'sys/class/net/bonding_masters': 'bond0\n' };
  for (const [name, { index, flags, operstate = 'up', address = '', mtu = 1500, rx_bytes = 0 }] of Object.entries(devices)) {
    const values = { ifindex: index, flags, operstate, address, mtu, 'statistics/rx_bytes': rx_bytes, 'statistics/tx_errors': 3 };
    for (const [file, value] of Object.entries(values)) files[`sys/class/net/${name}/${file}`] = `${String(value)}\n`;
  }
  return files;
}

const ROUTE_HEAD = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';
const ROUTES = `${ROUTE_HEAD}eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0       \n\
eth0\t000200C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t1400\t65535\t25      \n\
eth1\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0\n\
br0\t0005000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n\
eth0\t0100000A\t010200C0\t0037\t0\t0\t0\tFFFFFFFF\t0\t0\t0\n\
*\t0000A8C0\t00000000\t0200\t0\t0\t1024\t0000FFFF\t0\t0\t0\n`;
const FIB = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     |-- 10.0.5.0
        /24 link UNICAST
     |-- 10.0.5.1
        /32 host LOCAL
     |-- 10.9.9.9
        /32 host LOCAL
     |-- 10.255.255.255
        /32 link BROADCAST
     |-- 127.0.0.0
        /8 host LOCAL
     |-- 127.0.0.1
        /32 host LOCAL
     |-- 192.0.2.2
        /32 host LOCAL
     |-- 192.0.2.77
        /32 host LOCAL
Local:
     |-- 10.0.5.1
        /32 host LOCAL
`;
const IF_INET6 = `fe8000000000000000fc00fffe000001 04 40 20 80     eth0
00000000000000000000000000000001 01 80 10 80       lo
fd000000000000000000000000000002 04 40 00 82     eth0
`;
const DEVICES = sysfs({
  eth0: { index: 4, flags: '0x1003', address: '02:fc:00:00:00:01', mtu: 1400, rx_bytes: 9_007_199_254_740_991 },
  lo: { index: 1, flags: '0x9', operstate: 'unknown', address: '00:00:00:00:00:00', mtu: 65536 },
  br0: { index: 12, flags: '0x1003', operstate: 'down', address: '02:42:00:00:00:01' },
  eth1: { index: 5, flags: '0x1002', operstate: 'down', address: '02:fc:00:00:00:02' },
  tunl0: { index: 7, flags: '0x80', operstate: 'down', address: '0a:00:00:01' },
  ppp0: { index: 9, flags: '0x10d1', operstate: 'unknown' },
  ib0: { index: 10, flags: '0x0', address: '80:00:02:08:fe:80:00:00:00:00:00:00:f4:52:14:03:00:7b:cb:a1' },
});
const TREE = { ...DEVICES, 'proc/net/route': ROUTES, 'proc/net/fib_trie': FIB, 'proc/net/if_inet6': IF_INET6 };
const LIVE = new Map([
  ['lo', ['127.0.0.1/8']],
  ['eth0', ['192.0.2.2/24']],
]);

function interfaces(files: Readonly<Record<string, string>>, live = LIVE): Promise<NetworkInterface[]> {
  return withTree(files, (root) => readInterfaces(root, () => live));
}

describe('on a fixture', { skip: endianness() === 'BE' && 'the fixture is of a little-endian machine' }, () => {
  test('by index, with hardware address, state and counters', async () => {
    const seen = await interfaces(TREE);
    assert.deepEqual(
      seen.map(({ name, index, mac, flags }) => [index, name, mac, flags].join(' ')),
      [
        ...['1 lo  up|loopback|running', '4 eth0 02:fc:00:00:00:01 up|broadcast|multicast|running'],
        ...['5 eth1 02:fc:00:00:00:02 broadcast|multicast', '7 tunl0  0', '9 ppp0  up|pointtopoint|multicast|running'],
        ...[
          '10 ib0 80:00:02:08:fe:80:00:00:00:00:00:00:f4:52:14:03:00:7b:cb:a1 0',
          '12 br0 02:42:00:00:00:01 up|broadcast|multicast',
        ],
      ],
    );
    assert.deepEqual(seen[1], {
      name: 'eth0',
      index: 4,
      mac: '02:fc:00:00:00:01',
      mtu: 1400,
      flags: 'up|broadcast|multicast|running',
      addresses: ['192.0.2.2/24', 'fe80::fc:ff:fe00:1/64', 'fd00::2/64'],
      statistics: {
        ...{ rx_bytes: 9_007_199_254_740_991, rx_dropped: 0, rx_errors: 0, rx_packets: 0 },
        ...{ tx_bytes: 0, tx_dropped: 0, tx_errors: 3, tx_packets: 0 },
      },
    });
  });

  test('addresses of interfaces without a carrier: by the longest connected route', async () => {
    const addresses = Object.fromEntries((await interfaces(TREE)).map((one) => [one.name, one.addresses]));
    assert.deepEqual(addresses['br0'], ['10.0.5.1/24'], 'each once, although two tables have it');
    assert.deepEqual(addresses['eth1'], ['10.9.9.9/8']);
    assert.deepEqual(addresses['lo'], ['127.0.0.1/8', '::1/128']);
    assert.deepEqual(addresses['eth0']?.slice(0, 1), ['192.0.2.2/24'], 'an interface that the library tells of is complete');
    assert.equal(addresses['tunl0'], null);
  });

  test('kernels without IPv4, IPv6 or any network', async () => {
    const [lo] = await interfaces(sysfs({ lo: { index: 1, flags: '0x8' } }), new Map());
    assert.deepEqual([lo?.flags, lo?.addresses], ['loopback', null]);
    await assert.rejects(interfaces({ 'proc/x': '' }), failsWith('read_system', { path: '/sys/class/net' }));
  });

  test('routes in the order of the kernel', async () => {
    await withTree(TREE, async (root) => {
      const routes = await networkRoutes.run({}, testContext({ root }));
      assert.deepEqual(routes[0], {
        destination: '0.0.0.0/0',
        gateway: '192.0.2.1',
        iface: 'eth0',
        metric: 100,
        flags: ['up', 'gateway'],
        ...{ mtu: 0, window: 0, irtt: 0, default: true },
      });
      assert.deepEqual(routes[1], {
        destination: '192.0.2.0/24',
        gateway: '',
        iface: 'eth0',
        metric: 100,
        flags: ['up'],
        ...{ mtu: 1400, window: 65535, irtt: 25, default: false },
      });
      assert.deepEqual(
        routes.slice(2).map(({ destination, gateway, iface, flags }) => [destination, gateway, iface, flags.join()].join(' ')),
        [
          ...['10.0.0.0/8  eth1 up', '10.0.5.0/24  br0 up'],
          ...['10.0.0.1/32 192.0.2.1 eth0 up,gateway,host,dynamic,modified', '192.168.0.0/16  * reject'],
        ],
      );
    });
    const noRoutes = withTree({ 'proc/x': '' }, (root) => networkRoutes.run({}, testContext({ root })));
    await assert.rejects(noRoutes, failsWith('read_system', { path: '/proc/net/route' }));
  });
});

test('one interface by its name', async () => {
  const [lo] = await networkInterfaces.run({ name: 'lo' }, testContext());
  assert.equal(lo?.name, 'lo');
  for (const name of ['nope0', '', '../net/lo', 'lo/statistics', 'LO']) {
    await assert.rejects(networkInterfaces.run({ name }, testContext()), { message: `interface ${name} not found` });
  }
});

const IP = ['/usr/sbin/ip', '/sbin/ip', '/usr/bin/ip'].find(existsSync);
const skip = IP === undefined && 'ip is not installed';

interface IpLink {
  readonly ifname: string;
  readonly ifindex: number;
  readonly mtu: number;
  readonly address?: string;
  readonly flags: readonly string[];
  readonly addr_info: readonly { family: string; local: string; prefixlen: number }[];
  readonly stats64: { readonly rx: { readonly bytes: number } };
}

test('the same interfaces as ip addr', { skip }, async () => {
  const links = JSON.parse(execFileSync(IP ?? '', ['-j', '-s', 'addr'], { encoding: 'utf8' })) as IpLink[];
  const seen = await networkInterfaces.run({}, testContext());
  assert.deepEqual(
    seen.map(({ index, name, mtu }) => [index, name, mtu]),
    links.map(({ ifindex, ifname, mtu }) => [ifindex, ifname, mtu]),
  );
  for (const [at, link] of links.entries()) {
    const one = seen[at];
    const flags = one?.flags.split('|') ?? [];
    for (const flag of ['UP', 'BROADCAST', 'LOOPBACK', 'MULTICAST']) {
      assert.equal(flags.includes(flag.toLowerCase()), link.flags.includes(flag), `${link.ifname} ${flag}`);
    }
    const addresses = link.addr_info.map(({ local, prefixlen }) => `${local}/${String(prefixlen)}`);
    assert.deepEqual([...(one?.addresses ?? [])].sort(), addresses.sort(), link.ifname);
    if (one?.mac !== '') assert.equal(one?.mac, link.address);
    assert.ok((one?.statistics.rx_bytes ?? 0) >= link.stats64.rx.bytes);
  }
});

test('the same routes as ip route', { skip }, async () => {
  interface IpRoute {
    readonly dst: string;
    readonly gateway?: string;
    readonly dev?: string;
    readonly metric?: number;
  }
  const printed = JSON.parse(
    execFileSync(IP ?? '', ['-j', '-4', 'route', 'show', 'table', 'main'], { encoding: 'utf8' }),
  ) as IpRoute[];
  const theirs = printed.map(({ dst, gateway = '', dev = '*', metric = 0 }) => {
    const destination = dst === 'default' ? '0.0.0.0/0' : dst.includes('/') ? dst : `${dst}/32`;
    return [destination, gateway, dev, metric].join(' ');
  });
  const ours = await networkRoutes.run({}, testContext());
  assert.deepEqual(
    ours.map(({ destination, gateway, iface, metric }) => [destination, gateway, iface, metric].join(' ')).sort(),
    theirs.sort(),
  );
});
