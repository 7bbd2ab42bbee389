/** Header fields of a request that a caller writes, judged before anything is sent, and fields of an answer as they are shown. */
import { validateHeaderValue } from 'node:http';
import { StewardError } from '../../errors.ts';
import { VERSION } from '../../version.ts';

/** A field name (RFC 9110 section 5.6.2, token). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What frames the message or belongs to the connection is ours to say. */
const REFUSED = new Set(['connection', 'content-length', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer']);

/** Values by lower-case name. */
export type Headers = ReadonlyMap<string, string>;

/** The caller's fields over our own; names that differ only in case are one, the last counts. Throws `header_refused`. */
export function requestHeaders(given: Readonly<Record<string, string>>): Headers {
  const headers = new Map([
    ['accept-encoding', 'identity'],
    ['user-agent', `steward/${VERSION}`],
  ]);
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (!TOKEN.test(name) || REFUSED.has(key) || key.startsWith('proxy-') || !isValue(name, value)) {
      throw new StewardError('header_refused', { name });
    }
    headers.set(key, value);
  }
  return headers;
}

function isValue(name: string, value: string): boolean {
  try {
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

/** `content-type` as `Content-Type`. */
export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** The fields of an answer (name, value, name, value, ..); repeated ones are joined. */
export function responseHeaders(raw: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = canonicalName(raw[at] ?? '');
    const value = raw[at + 1] ?? '';
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}
