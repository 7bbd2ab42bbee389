/**
 * On which systemd unit a grant holds. systemd itself says which unit a name is, aliases and links resolved; that unit is judged, and
 * its name is what the operation gets.
 */
import { simpleGlob } from '@steward/shared/config/match.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { propertyOf, showUnit } from '@steward/shared/host/systemd/show.ts';
import { refuseOwnUnit, unitName } from '@steward/shared/host/systemd/unit-names.ts';
import { UNIT_STATE } from '@steward/shared/ops/services/manage.ts';
import type { Restriction, RestrictionCall } from '@steward/shared/catalogue/row.ts';

/** services/manage. */
export const byUnit: Restriction = {
  name: 'units',
  says: "never one of steward's own units; the unit that systemd resolves the name to matches `units` and the action is in `actions`, where the grant has these lists",
  async decide(call) {
    const { args, grant } = call;
    const { service, action } = args as { readonly service: string; readonly action: string };
    refuseOwnUnit(unitName(service));
    const unit = await resolve(call, service);
    refuseOwnUnit(unit);
    const entry = coveringGlob(grant.units, unit);
    if (entry === undefined) throw new StewardError('unit_restricted', { action, unit });
    if (grant.actions?.includes(action) === false) throw new StewardError('action_restricted', { action, unit });
    return { object: unit, rule: `units: ${entry}`, args: { ...args, service: unit } };
  },
};

/** Resource reads with a `service://` list; the list arrives as the `units` of the grant. */
export const byResourceUnit: Restriction = {
  name: 'resource units',
  says: 'the unit that systemd resolves the name to matches an entry of the resource list',
  async decide(call) {
    const { args, grant, user, tool } = call;
    const unit = await resolve(call, (args as { readonly name: string }).name);
    const entry = coveringGlob(grant.units ?? [], unit);
    if (entry === undefined) throw new StewardError('resource_not_granted', { user, uri: tool });
    return { object: unit, rule: `units: ${entry}`, args: { ...args, name: unit } };
  },
};

async function resolve({ programs, signal }: RestrictionCall, typed: string): Promise<string> {
  const unit = unitName(typed);
  return propertyOf(await showUnit({ programs, signal, properties: UNIT_STATE, unit }), 'Id') || unit;
}

/** A grant without a list covers every unit. */
function coveringGlob(globs: readonly string[] | undefined, unit: string): string | undefined {
  return globs === undefined ? 'any' : globs.find((glob) => simpleGlob(glob, unit));
}
