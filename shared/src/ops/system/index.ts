/** The operations behind the system tools, in the order of the catalogue, and behind `os://` and `system://`. */
import type { AnyOperation } from '../operation.ts';
import { systemHostname } from './hostname.ts';
import { systemLocale } from './locale.ts';
import { systemOsRelease } from './os-release.ts';
import { systemPackages } from './packages.ts';
import { systemRelease } from './release.ts';
import { systemTimezone } from './timezone.ts';
import { systemUname } from './uname.ts';

export const SYSTEM_OPERATIONS: readonly AnyOperation[] = [
  systemOsRelease,
  systemPackages,
  // Behind resources.
  systemUname,
  systemRelease,
  systemHostname,
  systemTimezone,
  systemLocale,
];
