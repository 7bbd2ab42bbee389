/**
 * Addresses as the kernel writes them in /proc/net (proc(5), in hexadecimal, words in the byte order of the machine) and as people
 * do. Pure functions.
 */
import { endianness } from 'node:os';

const HOST_ORDER = endianness();

/** `0100007F` as `127.0.0.1`. */
export function ipv4FromKernel(hex: string, order: 'LE' | 'BE' = HOST_ORDER): string {
  const bytes = bytesOf(hex, order);
  return bytes.join('.');
}

/** Four words of eight digits as an IPv6 address. `order` is `BE` for /proc/net/if_inet6, which writes the address as it is. */
export function ipv6FromKernel(hex: string, order: 'LE' | 'BE' = HOST_ORDER): string {
  const bytes = [0, 8, 16, 24].flatMap((at) => bytesOf(hex.slice(at, at + 8), order));
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0));
  return formatIpv6(groups);
}

function bytesOf(word: string, order: 'LE' | 'BE'): number[] {
  const bytes = [0, 2, 4, 6].map((at) => parseInt(word.slice(at, at + 2), 16));
  return order === 'LE' ? bytes.reverse() : bytes;
}

/** RFC 5952: lower case, the first longest run of two or more zero groups as `::`, mapped IPv4 addresses dotted. */
export function formatIpv6(groups: readonly number[]): string {
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const [high = 0, low = 0] = groups.slice(6);
    return `::ffff:${[high >> 8, high & 255, low >> 8, low & 255].join('.')}`;
  }
  const { start, length } = longestZeros(groups);
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (length < 2) return text(groups);
  return `${text(groups.slice(0, start))}::${text(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === 0) length += 1;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** Bits of a netmask as /proc/net/route writes it: `00FFFFFF` is 24 on a little-endian machine. */
export function maskBits(hex: string): number {
  return parseInt(hex, 16).toString(2).replaceAll('0', '').length;
}
