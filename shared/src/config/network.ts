/**
 * Addresses and CIDR networks, judged as numbers and never as text. Used for token addresses and by the checks of the
 * configuration. IPv4-mapped IPv6 addresses (::ffff:a.b.c.d, RFC 4291 section 2.5.5.2) count as the IPv4 address in them.
 */
import { isIP, isIPv4 } from 'node:net';

/** An address as a number; `bits` is 32 or 128. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

export interface Cidr extends Address {
  /** Length of the network part, 0..bits. */
  readonly prefix: number;
}

const MAPPED = 0xffffn << 32n;

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/** Text that `isIP` accepted as version 6, without zone, as its 128 bits. */
function ipv6Value(text: string): bigint {
  const [, front, dotted] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  let groups = text;
  if (front !== undefined && dotted !== undefined) {
    const low = ipv4Value(dotted);
    groups = `${front}${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`;
  }
  const [head = '', tail] = groups.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** Parses an address; a zone (`%eth0`) is ignored, an IPv4-mapped address becomes IPv4. Undefined when it is no address. */
export function parseAddress(text: string): Address | undefined {
  const bare = text.replace(/%.*$/, '');
  if (isIPv4(bare)) return { bits: 32, value: ipv4Value(bare) };
  if (isIP(bare) !== 6) return undefined;
  const value = ipv6Value(bare);
  if (value >> 32n === MAPPED >> 32n) return { bits: 32, value: value & 0xffff_ffffn };
  return { bits: 128, value };
}

/** Parses `address/length`; undefined when it is none. A network inside ::ffff:0:0/96 becomes the IPv4 network. */
export function parseCidr(text: string): Cidr | undefined {
  const [, network, digits] = /^([^/%]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  if (network === undefined) return undefined;
  const written = isIPv4(network) ? 32 : 128;
  const address = parseAddress(network);
  const length = Number(digits);
  if (address === undefined || length > written) return undefined;
  const prefix = length - (written - address.bits);
  if (prefix < 0) return { bits: 128, value: MAPPED | address.value, prefix: length };
  return { ...address, prefix };
}

/** True when `address` lies in `cidr` (both as text). Anything that cannot be parsed is outside. */
export function cidrContains(cidr: string, address: string): boolean {
  const network = parseCidr(cidr);
  const asked = parseAddress(address);
  if (network === undefined || asked === undefined) return false;
  const value = network.bits === 128 && asked.bits === 32 ? MAPPED | asked.value : asked.value;
  if (network.bits === 32 && asked.bits === 128) return false;
  const shift = BigInt(network.bits - network.prefix);
  return value >> shift === network.value >> shift;
}

/** True when `address` is in one of the networks; an absent list permits every address, an empty one none. */
export function addressPermitted(cidrs: readonly string[] | undefined, address: string): boolean {
  return cidrs === undefined || cidrs.some((cidr) => cidrContains(cidr, address));
}

/** True for 127.0.0.0/8 and ::1. */
export function isLoopback(address: string): boolean {
  return cidrContains('127.0.0.0/8', address) || cidrContains('::1/128', address);
}

/** Splits `address:port` or `[v6]:port`; undefined when it is neither. Port 0 lets the kernel choose. */
export function parseListen(text: string): { readonly address: string; readonly port: number } | undefined {
  const parts = /^(?:\[([^\]]+)\]|([^:]+)):(0|[1-9]\d{0,4})$/.exec(text);
  if (parts === null) return undefined;
  const address = parts[1] ?? parts[2] ?? '';
  const port = Number(parts[3]);
  if (isIP(address) !== (parts[1] === undefined ? 4 : 6) || port > 65535) return undefined;
  return { address, port };
}
