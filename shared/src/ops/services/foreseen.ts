/** What systemd would refuse at once, said by a dry run in the same words. */
import { StewardError } from '../../errors.ts';
import type { UnitAction } from './manage.ts';

/** The refusal for a unit in this load state, or undefined when systemd would try. */
export function refusalForeseen(action: UnitAction, unit: string, loadState: string): StewardError | undefined {
  if (action === 'enable' || action === 'disable') {
    if (loadState !== 'not-found') return undefined;
    return new StewardError('unit_files', { action, reason: `Failed to ${action} unit: Unit file ${unit} does not exist.` });
  }
  const why = reasonOf(action, loadState);
  if (why === undefined) return undefined;
  return new StewardError('unit_job_refused', { action, reason: `Failed to ${action} ${unit}: Unit ${unit} ${why}.` });
}

function reasonOf(action: UnitAction, loadState: string): string | undefined {
  if (loadState === 'not-found') return action === 'stop' ? 'not loaded' : 'not found';
  if (loadState === 'masked') return action === 'stop' ? undefined : 'is masked';
  return undefined;
}
