/**
 * The one network policy: which hosts and addresses a user may reach. A host is judged by its name before any look-up, and every
 * address it has by itself; the connection then goes to an address that was judged. Trusted to refuse what the policy refuses,
 * however the address is written or wrapped.
 */
import { isIP } from 'node:net';
import type { DaemonConfig, NetworkPolicy, UserGrants } from '../config/types.ts';
import { parseAddress, parseCidr, type Address, type Cidr } from '../config/network.ts';
import { StewardError } from '../errors.ts';
import type { Destination } from './destination.ts';

/** IANA special-purpose registries (RFC 6890): what is not the public internet, and multicast. */
const PRIVATE: readonly Cidr[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/128', '::1/128', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
].map(mustBeNetwork);

/** Where an IPv6 address holds an IPv4 address that it leads to, and how many bits follow that. */
const EMBEDDING: readonly { readonly network: Cidr; readonly shift: bigint }[] = [
  { network: mustBeNetwork('64:ff9b::/96'), shift: 0n }, // NAT64, RFC 6052
  { network: mustBeNetwork('2002::/16'), shift: 80n }, // 6to4, RFC 3056
  { network: mustBeNetwork('::/96'), shift: 0n }, // IPv4-compatible, RFC 4291 section 2.5.5.1
];

/** The policy of one tool for one user: that of the user's grant, whether or not it allows root, else the configuration's. */
export function policyFor(tool: string, grants: UserGrants, daemon: Pick<DaemonConfig, 'network'>): NetworkPolicy {
  const grant = Object.hasOwn(grants.tools, tool) ? grants.tools[tool] : undefined;
  return grant?.network ?? daemon.network;
}

/** The policy that an operation was given; without one nothing is ever reached. */
export function requirePolicy(policy: NetworkPolicy | undefined): NetworkPolicy {
  if (policy === undefined) throw new Error('an operation that connects was run without a network policy');
  return policy;
}

/** What the policy says of a host by its name alone, before anything is looked up: a refusal, or undefined. */
export function refuseName(policy: NetworkPolicy, host: Destination): StewardError | undefined {
  if (host.isAddress) return refuseAddress(policy, host, host.name);
  if (policy.deny.some((entry) => namesHost(entry, host.name))) return denied(host, undefined, 'deny list');
  const { allow } = policy;
  const open = allow === undefined || allow.some((entry) => isAddressEntry(entry) || namesHost(entry, host.name));
  return open ? undefined : denied(host, undefined, 'allow list');
}

/** What the policy says of an address that a host has: a refusal, or undefined. */
export function refuseAddress(policy: NetworkPolicy, host: Destination, address: string): StewardError | undefined {
  const { deny, allow, deny_private } = policy;
  const forms = formsOf(address);
  const named = (entry: string): boolean => !host.isAddress && namesHost(entry, host.name);
  if (deny.some((entry) => named(entry) || forms.some((form) => holds(entry, form)))) return denied(host, address, 'deny list');
  if (allow?.some((entry) => named(entry) && !isDomain(entry)) === true) return undefined;
  // An address that is listed may be private; the IPv4 address inside a listed IPv6 address is not listed by that.
  const unlisted = forms.filter((form) => allow?.some((entry) => holds(entry, form)) !== true);
  const listed = unlisted.length < forms.length;
  if (allow !== undefined && !listed && !allow.some(named)) return denied(host, address, 'allow list');
  if (!deny_private || !unlisted.some(isPrivate)) return undefined;
  return new StewardError('network_private', { host: host.shown, address: shownAddress(host, address) });
}

/** What the policy says of a host that has no address: only its name can permit it where there is an allow list. */
export function refuseUnresolved(policy: NetworkPolicy, host: Destination): StewardError | undefined {
  const refusal = refuseName(policy, host);
  if (refusal !== undefined || policy.allow === undefined) return refusal;
  return policy.allow.some((entry) => namesHost(entry, host.name)) ? undefined : denied(host, undefined, 'allow list');
}

/** Whether the addresses of a host can matter at all, so that it is worth a look-up. */
export function judgesAddresses({ deny_private, deny, allow }: NetworkPolicy): boolean {
  return deny_private || allow !== undefined || deny.some(isAddressEntry);
}

/** The addresses that may be connected to, in their order. Throws the first refusal when none may. */
export function permittedAddresses(policy: NetworkPolicy, host: Destination, addresses: readonly string[]): readonly string[] {
  const refusals = addresses.map((address) => refuseAddress(policy, host, address));
  const permitted = addresses.filter((_, index) => refusals[index] === undefined);
  if (permitted.length === 0 && refusals[0] !== undefined) throw refusals[0];
  return permitted;
}

function denied(host: Destination, address: string | undefined, list: string): StewardError {
  return new StewardError('network_denied', { host: host.shown, address: shownAddress(host, address), list });
}

function shownAddress(host: Destination, address: string | undefined): string {
  return host.isAddress || address === undefined ? '' : ` (${address})`;
}

function isAddressEntry(entry: string): boolean {
  return entry.includes('/') || isIP(entry) !== 0;
}

function isDomain(entry: string): boolean {
  return entry.startsWith('*.');
}

/** An exact name, or `*.domain`: what lies below the domain, not the domain itself. */
function namesHost(entry: string, name: string): boolean {
  if (isAddressEntry(entry)) return false;
  const wanted = entry.toLowerCase().replace(/\.$/, '');
  return isDomain(wanted) ? name.endsWith(wanted.slice(1)) && name.length > wanted.length - 1 : name === wanted;
}

/** Whether an entry is this address or a network with it. */
function holds(entry: string, address: Address): boolean {
  if (entry.includes('/')) {
    const network = parseCidr(entry);
    return network !== undefined && contains(network, address);
  }
  const wanted = parseAddress(entry);
  return wanted?.bits === address.bits && wanted.value === address.value;
}

function isPrivate(address: Address): boolean {
  return PRIVATE.some((network) => contains(network, address));
}

/**
 * The forms in which an address is judged: itself (an IPv4-mapped one as the IPv4 address it is), and the IPv4 address that it
 * embeds. So `deny: [10.0.0.0/8]` also stops `64:ff9b::10.0.0.1`.
 */
function formsOf(address: string): readonly Address[] {
  const own = parseAddress(address);
  if (own === undefined) throw new Error('the network policy was asked about something that is no address');
  const embedded = EMBEDDING.filter(({ network }) => contains(network, own));
  return [own, ...embedded.map(({ shift }): Address => ({ bits: 32, value: (own.value >> shift) & 0xffff_ffffn }))];
}

/** Networks of one family never hold addresses of the other: `::/0` says nothing about IPv4. */
function contains(network: Cidr, address: Address): boolean {
  const shift = BigInt(network.bits - network.prefix);
  return network.bits === address.bits && network.value >> shift === address.value >> shift;
}

function mustBeNetwork(text: string): Cidr {
  const network = parseCidr(text);
  if (network === undefined) throw new Error(`not a network: ${text}`);
  return network;
}
