/** Which configuration directory the host administration works on. */
import { dirname, resolve } from 'node:path';
import { findCheckout } from './checkout.ts';
import { textOf, type Flags } from '../options.ts';
import type { Io } from '../io.ts';

/** Where a package puts it. */
export const INSTALLED = '/etc/steward';

/** `--config-dir`, STEWARD_CONFIG_DIR, the `.run/config` of a checkout, else /etc/steward; absolute. */
export function findConfigDir(flags: Flags, io: Io): string {
  const given = textOf(flags, 'config-dir') ?? (io.env['STEWARD_CONFIG_DIR'] || undefined);
  if (given !== undefined) return resolve(io.cwd, given);
  const checkout = findCheckout(io.cwd) ?? findCheckout(dirname(io.program));
  return checkout?.configDir ?? INSTALLED;
}
