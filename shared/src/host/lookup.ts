/**
 * Looks names up as this host does: /etc/hosts, then the name servers of /etc/resolv.conf (c-ares, through node:dns). A name is
 * taken as it is written: search domains are not tried, so that the name that the network policy judged is the name that is asked for.
 */
import { Resolver } from 'node:dns/promises';
import { isIPv4, isIPv6 } from 'node:net';
import { StewardError } from '../errors.ts';
import { readHosts, readNameservers, type HostsFile } from './resolver-files.ts';
import type { TimeLimit } from './time-limit.ts';

/** Of one query. */
const TRY_MS = 2500;
const TRIES = 2;

export const RECORD_TYPES = ['A', 'AAAA', 'CNAME', 'TXT', 'MX', 'NS'] as const;
export type RecordType = (typeof RECORD_TYPES)[number];

export interface DnsRecord {
  readonly type: RecordType;
  /** As shown: names end with a dot. */
  readonly value: string;
  /** What it leads to, for the network policy: the address of A and AAAA, the name of CNAME, MX and NS. */
  readonly leadsTo?: string;
}

/** `none`: the name exists, or may, but has no such record. `no_host`: there is no such name. */
export type DnsAnswer =
  | { readonly status: 'found'; readonly records: readonly DnsRecord[] }
  | { readonly status: 'none' | 'no_host' | 'timeout' }
  | { readonly status: 'failed'; readonly reason: string };

const QUERIES: Readonly<Record<RecordType, (resolver: Resolver, name: string) => Promise<DnsRecord[]>>> = {
  A: async (resolver, name) => (await resolver.resolve4(name)).map((value) => ({ type: 'A', value, leadsTo: value })),
  AAAA: async (resolver, name) => (await resolver.resolve6(name)).map((value) => ({ type: 'AAAA', value, leadsTo: value })),
  CNAME: async (resolver, name) =>
    (await resolver.resolveCname(name)).map((target) => ({ type: 'CNAME', value: `${target}.`, leadsTo: target })),
  TXT: async (resolver, name) => (await resolver.resolveTxt(name)).map((strings) => ({ type: 'TXT', value: strings.join('') })),
  MX: async (resolver, name) =>
    (await resolver.resolveMx(name)).map(({ priority, exchange }) => ({
      type: 'MX',
      value: `${String(priority)} ${exchange}.`,
      leadsTo: exchange,
    })),
  NS: async (resolver, name) =>
    (await resolver.resolveNs(name)).map((target) => ({ type: 'NS', value: `${target}.`, leadsTo: target })),
};

/** Look-ups within one limit of time: at its end, queries under way are given up and answered as `timeout`. */
export class Lookup {
  readonly #hosts: HostsFile;
  readonly #resolver: Resolver;
  readonly #limit: TimeLimit;

  private constructor(hosts: HostsFile, resolver: Resolver, limit: TimeLimit) {
    this.#hosts = hosts;
    this.#resolver = resolver;
    this.#limit = limit;
    limit.signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  }

  /** `root`: where /etc is. */
  static async open(root: string, limit: TimeLimit): Promise<Lookup> {
    const [hosts, servers] = await Promise.all([readHosts(root), readNameservers(root)]);
    const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES, maxTimeout: TRY_MS });
    resolver.setServers(servers);
    return new Lookup(hosts, resolver, limit);
  }

  /** Asks for the records of one type; addresses from /etc/hosts first. Throws only when the caller is gone. */
  async query(name: string, type: RecordType): Promise<DnsAnswer> {
    const known = this.#fromHosts(name, type);
    if (known.length > 0) return { status: 'found', records: known };
    if (this.#limit.isOver()) return this.#stopped();
    try {
      return { status: 'found', records: await QUERIES[type](this.#resolver, name) };
    } catch (error) {
      return this.#limit.isOver() ? this.#stopped() : answerOf(error);
    }
  }

  /**
   * All addresses of a name, IPv4 first. Throws `host_not_found`, `lookup_timeout`, `lookup_failed` with `shown` as the host.
   * As in the C library, a name that /etc/hosts has is not asked for.
   */
  async addresses(name: string, shown: string): Promise<readonly string[]> {
    const known = this.#hosts.get(name);
    if (known !== undefined) return [...known.filter(isIPv4), ...known.filter(isIPv6)];
    const answers = await Promise.all([this.query(name, 'A'), this.query(name, 'AAAA')]);
    const found = answers.flatMap((answer) => (answer.status === 'found' ? answer.records.map(({ value }) => value) : []));
    if (found.length === 0) throw lookupError(answers, shown);
    return found;
  }

  #fromHosts(name: string, type: RecordType): DnsRecord[] {
    if (type !== 'A' && type !== 'AAAA') return [];
    const addresses = this.#hosts.get(name) ?? [];
    return addresses.filter(type === 'A' ? isIPv4 : isIPv6).map((value) => ({ type, value, leadsTo: value }));
  }

  #stopped(): DnsAnswer {
    if (this.#limit.timedOut === undefined) throw this.#limit.reason;
    return { status: 'timeout' };
  }
}

/** What to say when no answer had a record. */
export function lookupError(answers: readonly DnsAnswer[], host: string): StewardError {
  if (answers.some(({ status }) => status === 'timeout')) return new StewardError('lookup_timeout', { host });
  const failed = answers.find((answer) => answer.status === 'failed');
  if (failed !== undefined) return new StewardError('lookup_failed', { host, reason: failed.reason });
  return new StewardError('host_not_found', { host });
}

/** Codes of node:dns. A name that no DNS message can hold is no host either. */
function answerOf(error: unknown): DnsAnswer {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  switch (code) {
    case 'ENODATA':
      return { status: 'none' };
    case 'ENOTFOUND':
    case 'EBADNAME':
      return { status: 'no_host' };
    case 'ETIMEOUT':
      return { status: 'timeout' };
    case undefined:
      throw error;
    default:
      return { status: 'failed', reason: code };
  }
}
