/** The virtual machine for the tests of one file; see test/support/inside/suite.ts. Test only. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unableToBoot } from '../debian/cache.ts';
import { type Suite, type SuiteOptions, bootedSuite } from '../inside/suite.ts';
import { ROOT } from '../paths.ts';
import { bootMachine } from './boot.ts';

/** Registers the hooks; to be called once, at the top of a test file. */
export function bootedMachine(options: SuiteOptions): Suite {
  const reason =
    unableToBoot(['qemu-system-x86_64', 'mke2fs']) ?? (process.arch === 'x64' ? undefined : 'needs an x86-64 runtime');
  const listen = (): string => '0.0.0.0:9091';
  const smart = readFileSync(join(ROOT, 'systemd/drop-ins/smart.conf'), 'utf8');
  // Its disks have SMART, which needs more of root's power than all else.
  return bootedSuite({ reason, boot: bootMachine, listen, patienceMs: 360_000, dropIns: { 'smart.conf': smart } }, options);
}
