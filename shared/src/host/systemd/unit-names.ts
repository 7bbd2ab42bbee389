/**
 * Names of systemd units (systemd.unit(5)) as callers write them. What passes here is one unit and neither an option nor a pattern
 * of systemctl. Trusted with telling steward's own units from all others.
 */
import { StewardError } from '../../errors.ts';

/** Without a separator that starts an option, a path or a glob. */
const NAME = /^[A-Za-z0-9_@][A-Za-z0-9:_.\\@-]{0,254}$/;
const SUFFIX = /\.(service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/;
/** A template without its instance is no unit: systemd can say nothing about it. */
const TEMPLATE = /@\.[a-z]+$/;
/** UNIT_NAME_MAX without the final NUL. */
const MAX_BYTES = 255;

/** Begins every unit that belongs to steward, instances of its templates too. */
const OWN = /^steward(?:[-@][^/]*)?\.[a-z]+$/;
/** The slice that systemd makes for the instances of a template: stopping it stops them. */
const OWN_SLICE = /^system-steward(?:-[^/]*)?\.slice$/;

/** The full name of a unit; `.service` is added where there is no unit suffix. Throws `unit_invalid`. */
export function unitName(typed: string): string {
  const name = SUFFIX.test(typed) ? typed : `${typed}.service`;
  const isUnit = NAME.test(typed) && !typed.startsWith('@') && !TEMPLATE.test(name) && name.length <= MAX_BYTES;
  if (!isUnit) throw new StewardError('unit_invalid', { unit: typed });
  return name;
}

/** Throws `own_unit` for a unit whose state decides whether steward runs. `unit` is a full name. */
export function refuseOwnUnit(unit: string): void {
  const name = unit.replaceAll('\\x2d', '-');
  if (OWN.test(name) || OWN_SLICE.test(name)) throw new StewardError('own_unit', { unit });
}
