/**
 * Which web pages may talk to this daemon. A browser sends `Origin`; a page of somebody else's must not reach a daemon on the
 * same machine, also not under a name that was made to resolve here (DNS rebinding), so it is never compared with `Host`.
 */
import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

export class OriginRule {
  readonly #allowed: ReadonlySet<string>;
  readonly #certificate: X509Certificate | undefined;

  /** `allowed`: origins of the configuration. `certificate`: our own, whose names are allowed on any port. */
  constructor(allowed: readonly string[], certificate: X509Certificate | undefined) {
    this.#allowed = new Set(allowed.map((origin) => origin.toLowerCase()));
    this.#certificate = certificate;
  }

  /** Whether a request with this header may be served. A request without one comes from no web page. */
  permits(header: string | undefined): boolean {
    if (header === undefined) return true;
    if (this.#allowed.has(header.toLowerCase())) return true;
    const host = hostOf(header);
    return host !== undefined && (isLoopbackHost(host) || this.#isOurName(host));
  }

  #isOurName(host: string): boolean {
    if (this.#certificate === undefined) return false;
    if (isIP(host) !== 0) return this.#certificate.checkIP(host) !== undefined;
    return this.#certificate.checkHost(host, { subject: 'never' }) !== undefined;
  }
}

/** Host of an origin (RFC 6454 section 6.2: scheme, host, port, nothing else), IPv6 without brackets; undefined for others, also `null`. */
function hostOf(origin: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\\s]+$/i.test(origin) || !URL.canParse(origin)) return undefined;
  return new URL(origin).hostname.replace(/^\[(.*)\]$/, '$1');
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
