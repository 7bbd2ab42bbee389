/** Rows of the allowlist: packages, accounts and the firmware's table of memory. How to read a row: table.ts. */
import { StewardError } from '@steward/shared/errors.ts';
import { devicesMemory } from '@steward/shared/ops/devices/memory.ts';
import { systemPackages } from '@steward/shared/ops/system/packages.ts';
import { usersList } from '@steward/shared/ops/users/list.ts';
import { none } from '../restrict.ts';
import type { ImmediateRestriction, Row } from '../row.ts';

/** For the resource that is one object: the list arrives as the `units` of the grant. */
const byWholeResource: ImmediateRestriction = {
  name: 'resource list',
  says: 'the resource list holds "*"',
  decide({ grant, user, tool }) {
    if (grant.units?.includes('*') !== true) throw new StewardError('resource_not_granted', { user, uri: tool });
    return { object: tool, rule: `resources: ${tool}` };
  },
};

// prettier-ignore
export const SYSTEM_ROWS: readonly Row[] = [
  {
    op: systemPackages,      grant: { tool: 'system/packages' }, effect: 'read',  restriction: none,            cancel: 'stops',
    touches: { capabilities: [], programs: [], sockets: [], paths: ['/var/lib/dpkg', '/lib/apk/db', '/usr/lib/apk/db'] },
    limits:  { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 0 },
    shown:   ['name'],
  },
  {
    op: usersList,           grant: { tool: 'users/list' },      effect: 'read',  restriction: none,            cancel: 'stops',
    touches: { capabilities: [], programs: [], sockets: [], paths: ['/etc/passwd', '/etc/group'] },
    limits:  { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 0 },
    shown:   ['min_uid'],
  },
  // ── Resource devices://dmi: asked for only after the kernel refused the frontend ───────────────────────────────────────────
  {
    op: devicesMemory,       grant: { resource: 'devices://dmi', uri: 'devices://dmi' },
    effect: 'read',                                              restriction: byWholeResource,                  cancel: 'stops',
    touches: { capabilities: [], programs: [], sockets: [], paths: ['/sys/firmware/dmi/tables/DMI'] },
    limits:  { deadlineSeconds: 60, maxResultBytes: 1024 * 1024, maxUploadBytes: 0 },
    shown:   [],
  },
];
