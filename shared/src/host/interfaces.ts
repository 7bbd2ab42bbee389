/** Network interfaces with their addresses and counters, from sysfs and the kernel's tables. Public. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemError } from '../errors.ts';
import { liveIpv4, readIpv6, readLocalAddresses, withIdleIpv4, type AddressesByInterface } from './interface-addresses.ts';
import { readAttribute } from './procfs.ts';
import { readRoutes } from './routes.ts';

const CLASS = '/sys/class/net';
const COUNTERS = [
  ...(['rx_bytes', 'rx_dropped', 'rx_errors', 'rx_packets'] as const),
  ...(['tx_bytes', 'tx_dropped', 'tx_errors', 'tx_packets'] as const),
];
/** IFF_* of include/uapi/linux/if.h, in the order in which they are told. `running` is told from the operational state. */
const FLAGS = [
  ['up', 0x1],
  ['broadcast', 0x2],
  ['loopback', 0x8],
  ['pointtopoint', 0x10],
  ['multicast', 0x1000],
] as const;
/** Octets of a hardware address: Ethernet, EUI-64 (FireWire, 802.15.4), InfiniBand. Others are the IP addresses of tunnels. */
const HARDWARE_LENGTHS = [6, 8, 20];

export interface NetworkInterface {
  readonly name: string;
  readonly index: number;
  /** Empty when there is none. */
  readonly mac: string;
  readonly mtu: number;
  /** Joined by `|`; `0` when none is set. */
  readonly flags: string;
  /** CIDR, IPv4 first. */
  readonly addresses: readonly string[] | null;
  readonly statistics: Readonly<Record<(typeof COUNTERS)[number], number>>;
}

/** All interfaces by index. `live`: the addresses of this host's running ones. Throws `read_system`. */
export async function readInterfaces(root: string, live: () => AddressesByInterface = liveIpv4): Promise<NetworkInterface[]> {
  const [names, routes, local, ipv6] = await Promise.all([
    namesOf(root),
    readRoutes(root).catch(() => []), // a kernel without IPv4 has none
    readLocalAddresses(root),
    readIpv6(root),
  ]);
  const ipv4 = withIdleIpv4(live(), local, routes);
  const found = await Promise.all(
    names.map((name) => readInterface(root, name, [...(ipv4.get(name) ?? []), ...(ipv6.get(name) ?? [])])),
  );
  return found.filter((one) => one !== undefined).sort((a, b) => a.index - b.index);
}

async function namesOf(root: string): Promise<string[]> {
  try {
    return await readdir(join(root, CLASS));
  } catch (error) {
    throw systemError('read_system', { path: CLASS }, error);
  }
}

/** Undefined for what is no interface: files of drivers, and interfaces that went away meanwhile. */
async function readInterface(root: string, name: string, addresses: readonly string[]): Promise<NetworkInterface | undefined> {
  const attribute = (file: string): Promise<string | undefined> => readAttribute(root, `${CLASS}/${name}/${file}`);
  const index = await attribute('ifindex');
  if (index === undefined) return undefined;
  const [mac = '', mtu, flags = '', state = ''] = await Promise.all(['address', 'mtu', 'flags', 'operstate'].map(attribute));
  const counters = COUNTERS.map(async (counter) => [counter, Number((await attribute(`statistics/${counter}`)) ?? 0)] as const);
  return {
    name,
    index: Number(index),
    mac: hardwareAddress(mac),
    mtu: Number(mtu ?? 0),
    flags: flagNames(Number(flags), state),
    addresses: addresses.length === 0 ? null : addresses,
    statistics: Object.fromEntries(await Promise.all(counters)) as NetworkInterface['statistics'],
  };
}

function hardwareAddress(address: string): string {
  const octets = address.split(':');
  const isNone = !HARDWARE_LENGTHS.includes(octets.length) || octets.every((octet) => octet === '00');
  return isNone ? '' : address;
}

/** An interface whose driver does not tell its state runs when it is up. */
function flagNames(bits: number, state: string): string {
  const names: string[] = FLAGS.filter(([, bit]) => (bits & bit) !== 0).map(([name]) => name);
  if (names.includes('up') && (state === 'up' || state === 'unknown')) names.push('running');
  return names.length === 0 ? '0' : names.join('|');
}
