/** Catalogue entry: words and text of services/manage. */
import { StewardError } from '@steward/shared/errors.ts';
import { servicesManage, UNIT_ACTIONS, type ManageResult } from '@steward/shared/ops/services/manage.ts';
import { escapeName } from '../../render/names.ts';
import { tool } from '../tool.ts';

export const servicesManageTool = tool({
  name: 'services/manage',
  title: 'Control systemd service',
  description:
    'Start, stop, restart, reload, enable or disable a systemd unit and wait for the job. enable and disable do not start or stop. State: services/list.',
  op: servicesManage,
  formats: false,
  human: false,
  prepare: (args) => {
    const { action } = args;
    if (typeof action === 'string' && action !== '' && !UNIT_ACTIONS.some((known) => known === action)) {
      throw new StewardError('unit_action', { action });
    }
    return { ...args };
  },
  text: ({ result }) => ({ text: result.dry_run ? planned(result) : done(result) }),
});

function planned({ action, unit, active_state, sub_state }: ManageResult): string {
  return `Dry run: would ${action} ${escapeName(unit)} (now ${active_state}/${sub_state})`;
}

function done({ action, unit, job, status = '', install = false, changes = 0 }: ManageResult): string {
  if (action === 'enable') return `Enabled ${escapeName(unit)} (install: ${install}, changes: ${changes})`;
  if (action === 'disable') return `Disabled ${escapeName(unit)} (changes: ${changes})`;
  return `${job === undefined ? 'Job' : `Job ${job}`} completed with status: ${status}`;
}
