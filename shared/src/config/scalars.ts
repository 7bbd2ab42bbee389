/**
 * Readers of the scalar kinds that the configuration files share: paths, globs, networks, times, names. Texts say what is
 * expected and show what was written, except where it is secret.
 */
import { isIP } from 'node:net';
import { isGlob } from './match.ts';
import { parseCidr, parseListen } from './network.ts';
import { map, string, type Reader } from './reader.ts';

/** Linux limit of a path in bytes without its final NUL (PATH_MAX, limits.h). */
const MAX_PATH = 4095;

function isAbsolute(value: string): boolean {
  return value.startsWith('/') && Buffer.byteLength(value) <= MAX_PATH;
}

/** An absolute path as written. */
export const absolutePath: Reader<string> = string(isAbsolute, 'an absolute path');

/** An absolute prefix without `.` and `..`; `//` and a final `/` are taken out, so that it compares with real paths. */
export const pathPrefix: Reader<string> = map(absolutePath, (value, item) => {
  const parts = value.split('/').filter((part) => part !== '');
  if (parts.includes('.') || parts.includes('..')) item.mustBe(`an absolute path without . and .., got "${value}"`);
  return `/${parts.join('/')}`;
});

/** `*`, `?`, `[..]`. */
export const glob: Reader<string> = string(isGlob, 'a valid glob');

/** A glob over kernel device names: these have no slash. */
export const deviceGlob: Reader<string> = string(
  (value) => isGlob(value) && !value.includes('/'),
  'a glob of kernel device names',
);

/** A glob over dotted names, each component valid by itself; a slash is a dot inside a component (an interface `eth0/100`). */
export const dottedName: Reader<string> = string(
  (value) => !/\s/.test(value) && (value.includes('.') || !value.includes('/')) && value.split('.').every(isGlob),
  'a sysctl key or glob like net.ipv4.*',
);

export const cidr: Reader<string> = string((value) => parseCidr(value) !== undefined, 'a network like 10.0.0.0/8');

/** `address:port`, IPv6 in brackets. */
export const listenAddress: Reader<string> = string(
  (value) => parseListen(value) !== undefined,
  'an address:port like 127.0.0.1:9091',
);

const HOST = /^(?=.{1,253}$)(?!.*\.\.)[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;

/** A name or address for a certificate. */
export const certificateName: Reader<string> = string(
  (value) => isIP(value) !== 0 || HOST.test(value.replace(/^\*\./, '')),
  'a host name or address',
);

/** An entry of a network policy: network, address, exact host name, or `*.domain`. */
export const policyEntry: Reader<string> = string(
  (value) => (value.includes('/') ? parseCidr(value) !== undefined : isIP(value) !== 0 || HOST.test(value.replace(/^\*\./, ''))),
  'a network, an address, a host name or *.domain',
);

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** True for a date and time of RFC 3339 section 5.6 with a day that exists (a leap second does not count as one). */
export function isTime(value: string): boolean {
  const parts = RFC3339.exec(value);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

export const time: Reader<string> = string(isTime, 'a time like 2027-06-30T00:00:00Z');

/** Name of an OS account (useradd(8), generously). */
export const ACCOUNT = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}\$?$/;
