/** A booted host for the tests of one file; see test/support/inside/suite.ts. Test only. */
import { unableToBoot } from '../debian/cache.ts';
import { type Suite, type SuiteOptions, bootedSuite } from '../inside/suite.ts';
import { bootHost } from './boot.ts';

/** Registers the hooks; to be called once, at the top of a test file. */
export function bootedHost(options: SuiteOptions): Suite {
  const reason = unableToBoot(['systemd-nspawn', 'nsenter', 'unshare']);
  // Both sides have the same loopback.
  const listen = (port: number): string => `127.0.0.1:${port}`;
  return bootedSuite({ reason, boot: () => bootHost(), listen, patienceMs: 120_000 }, options);
}
