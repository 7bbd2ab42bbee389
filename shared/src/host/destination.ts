/**
 * What a caller means by a host: a name to be looked up, or an address. Every spelling that programs take for an address becomes one
 * here (`127.1`, `0x7f.1`, `2130706433`), so that what the network policy judges is what is connected to.
 */
import { isIP, isIPv4 } from 'node:net';
import { StewardError } from '../errors.ts';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}$/;
/** A last label that makes the whole an IPv4 address or nothing at all (WHATWG URL, "ends in a number"). */
const NUMBER_LAST = /(?:^|\.)(?:\d+|0[xX][0-9A-Fa-f]*)\.?$/;

/** A host whose spelling has been judged. */
export interface Destination {
  /** For texts: a name as written, an address in its plain form. */
  readonly shown: string;
  /** Lower case, without a final dot; for an address the same as `shown`. */
  readonly name: string;
  readonly isAddress: boolean;
}

/** Throws `host_invalid`. */
export function parseDestination(text: string): Destination {
  if (isIP(text) !== 0) return { shown: text, name: text.toLowerCase(), isAddress: true };
  if (!NAME.test(text)) throw new StewardError('host_invalid', { host: text });
  if (!NUMBER_LAST.test(text)) return { shown: text, name: text.toLowerCase().replace(/\.$/, ''), isAddress: false };
  const address = URL.parse(`http://${text}/`)?.hostname ?? '';
  if (!isIPv4(address)) throw new StewardError('host_invalid', { host: text });
  return { shown: address, name: address, isAddress: true };
}

/** The host of a URL. Throws `host_invalid`. */
export function destinationOf(url: URL): Destination {
  return parseDestination(url.hostname.replace(/^\[(.*)\]$/, '$1'));
}
