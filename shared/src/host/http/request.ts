/** A request as it will be sent: made of what the caller wrote, and made anew for every redirect. Pure functions. */
import { unescape } from 'node:querystring';
import { StewardError } from '../../errors.ts';
import { requestHeaders, type Headers } from './headers.ts';

export interface HttpRequest {
  readonly method: string;
  /** http or https. */
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | undefined;
}

export interface WrittenRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Methods that are no requests for a resource: a tunnel, and an echo of what proxies added. */
const REFUSED_METHODS = ['CONNECT', 'TRACE'];

/** Throws `url_invalid`, `method_invalid`, `header_refused`. */
export function makeRequest({ url: written, method, headers: given, body }: WrittenRequest): HttpRequest {
  const url = parseUrl(written);
  const name = method.toUpperCase();
  if (!/^[A-Za-z]{1,20}$/.test(method) || REFUSED_METHODS.includes(name)) throw new StewardError('method_invalid', { method });
  const headers = new Map(requestHeaders(given));
  const { username, password } = url;
  if (username + password !== '' && !headers.has('authorization')) headers.set('authorization', basic(username, password));
  return { method: name, url, headers, body };
}

/** The origin-form of the request's target (RFC 9112 section 3.2.1). */
export function targetOf(url: URL): string {
  return url.pathname + url.search;
}

/** Where an answer says to go instead, as written; undefined when it is no redirect. */
export function redirectOf(status: number, location: string | undefined): string | undefined {
  return [301, 302, 303, 307, 308].includes(status) ? location : undefined;
}

/**
 * The request that follows a redirect. After 301, 302 and 303 it asks with GET and sends no body; what was meant for the first
 * origin alone is not told to another. Throws `url_invalid`.
 */
export function redirected({ method, url, headers, body }: HttpRequest, status: number, location: string): HttpRequest {
  const next = parseUrl(location, url);
  const kept = new Map(headers);
  const leaves = next.origin !== url.origin;
  if (leaves) for (const name of ['authorization', 'cookie', 'host']) kept.delete(name);
  if (status === 307 || status === 308) return { method, url: next, headers: kept, body };
  for (const name of [...kept.keys()].filter((field) => field.startsWith('content-'))) kept.delete(name);
  return { method: method === 'HEAD' ? method : 'GET', url: next, headers: kept, body: undefined };
}

function parseUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new StewardError('url_invalid', { url: text });
  return url;
}

/** RFC 7617. A percent sign that escapes nothing stands for itself. */
function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${unescape(username)}:${unescape(password)}`).toString('base64')}`;
}
