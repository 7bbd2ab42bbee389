/** The operations behind the tools and resources about the system as a whole, tools in the order of the catalogue. */
import type { AnyOperation } from '../operation.ts';
import { systemLocale } from './locale.ts';
import { systemOsRelease } from './os-release.ts';
import { systemPackages } from './packages.ts';
import { systemTimezone } from './timezone.ts';

export const SYSTEM_OPERATIONS: readonly AnyOperation[] = [
  systemOsRelease,
  systemPackages,
  // Behind resources.
  systemTimezone,
  systemLocale,
];
