/**
 * The addresses of network interfaces. IPv4 addresses come from getifaddrs(3), which leaves out interfaces without a carrier; those
 * are found among the kernel's local routes. IPv6 addresses come from /proc/net/if_inet6. All public.
 */
import { networkInterfaces } from 'node:os';
import { cidrContains } from '../config/network.ts';
import { ipv6FromKernel } from './addresses.ts';
import { readAttribute } from './procfs.ts';
import type { Route } from './routes.ts';

/** Addresses with prefix length, by interface. */
export type AddressesByInterface = ReadonlyMap<string, readonly string[]>;

/** IPv4 addresses of the running interfaces of this host; an alias label such as `eth0:1` counts as `eth0`. */
export function liveIpv4(): AddressesByInterface {
  const found = new Map<string, string[]>();
  for (const [label, addresses] of Object.entries(askLibrary())) {
    const name = label.replace(/:.*$/, '');
    const cidrs = (addresses ?? []).flatMap(({ family, cidr }) => (family === 'IPv4' && cidr !== null ? [cidr] : []));
    // An interface that has only IPv6 addresses is there all the same.
    found.set(name, [...(found.get(name) ?? []), ...cidrs]);
  }
  return found;
}

/** Empty where the library may not ask the kernel (a sandbox without netlink): the kernel's tables then serve for all. */
function askLibrary(): ReturnType<typeof networkInterfaces> {
  try {
    return networkInterfaces();
  } catch {
    return {};
  }
}

/**
 * `live` with the addresses of interfaces that it leaves out: local addresses of the kernel that it does not have, each with the
 * interface of the longest connected route to it.
 */
export function withIdleIpv4(
  live: AddressesByInterface,
  local: readonly string[],
  routes: readonly Route[],
): AddressesByInterface {
  const known = new Set([...live.values()].flat().map((cidr) => cidr.replace(/\/.*$/, '')));
  const connected = routes.filter(({ gateway }) => gateway === '').sort((a, b) => prefixOf(b) - prefixOf(a));
  const found = new Map(live);
  for (const address of local.filter((candidate) => !known.has(candidate))) {
    const route = connected.find(({ destination }) => cidrContains(destination, address));
    if (route === undefined || live.has(route.iface)) continue;
    found.set(route.iface, [...(found.get(route.iface) ?? []), `${address}/${String(prefixOf(route))}`]);
  }
  return found;
}

function prefixOf({ destination }: Route): number {
  return Number(destination.split('/')[1]);
}

/** Every address that the kernel takes for its own: the `/32 host LOCAL` leaves of /proc/net/fib_trie, each once. */
export async function readLocalAddresses(root: string): Promise<readonly string[]> {
  const addresses = new Set<string>();
  let leaf = '';
  for (const line of ((await readAttribute(root, '/proc/net/fib_trie')) ?? '').split('\n')) {
    leaf = /^\s*\|-- (\S+)$/.exec(line)?.[1] ?? leaf;
    if (/^\s*\/32 host LOCAL$/.test(line)) addresses.add(leaf);
  }
  return [...addresses];
}

/** `address ifindex prefix scope flags name`, all but the name in hexadecimal; none on a kernel without IPv6. */
export async function readIpv6(root: string): Promise<AddressesByInterface> {
  const found = new Map<string, string[]>();
  for (const line of ((await readAttribute(root, '/proc/net/if_inet6')) ?? '').split('\n')) {
    const [address = '', , prefix = '', , , name] = line.trim().split(/\s+/);
    if (name === undefined) continue;
    found.set(name, [...(found.get(name) ?? []), `${ipv6FromKernel(address, 'BE')}/${String(parseInt(prefix, 16))}`]);
  }
  return found;
}
