/** For unit tests alone: HTTP requests of the operation against servers on loopback, with a hosts file of the test's own. */
import type { NetworkPolicy } from '../config/types.ts';
import { networkCurl, type CurlResult } from '../ops/network/curl.ts';
import { failsWith, testContext, withTree } from './context.ts';
import type { HttpDouble } from './http-server.ts';

export interface CurlSurroundings {
  /** Default: everything is permitted. */
  readonly network?: NetworkPolicy;
  /** Relative paths; by default there are no known hosts and nobody answers for names. */
  readonly files?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const OPEN: NetworkPolicy = { deny_private: false, deny: [] };
const NOBODY = { 'etc/hosts': '', 'etc/resolv.conf': 'nameserver [127.0.0.1]:1\n' };

export function curl(
  args: Parameters<typeof networkCurl.run>[0],
  { network = OPEN, files = {}, signal = new AbortController().signal }: CurlSurroundings = {},
): Promise<CurlResult> {
  return withTree({ ...NOBODY, ...files }, (root) => networkCurl.run(args, testContext({ root, network, signal })));
}

/** URL of a server. */
export function at({ port }: HttpDouble, path = '/'): string {
  return `http://127.0.0.1:${String(port)}${path}`;
}

/** For `assert.rejects`: the request failed for this reason. */
export function failed(reason: string): (error: unknown) => boolean {
  return failsWith('http_failed', { reason });
}
