/** What systemd would refuse at once, said by a dry run in systemctl's words. */
import { StewardError } from '../../errors.ts';
import type { UnitAction } from './manage.ts';

/** The refusal for a unit in this load state, or undefined when systemd would try. */
export function refusalForeseen(action: UnitAction, unit: string, loadState: string): StewardError | undefined {
  if (action === 'enable' || action === 'disable') {
    const why = unfitToLink(action, loadState);
    if (why === undefined) return undefined;
    return new StewardError('unit_files', { action, reason: `Failed to ${action} unit: Unit file ${unit} ${why}.` });
  }
  const why = unfitToRun(action, loadState);
  if (why === undefined) return undefined;
  return new StewardError('unit_job_refused', { action, reason: `Failed to ${action} ${unit}: Unit ${unit} ${why}.` });
}

function unfitToLink(action: UnitAction, loadState: string): string | undefined {
  if (loadState === 'not-found') return 'does not exist';
  return loadState === 'masked' && action === 'enable' ? 'is masked' : undefined;
}

/** Whatever is wrong with a unit file, what runs can be stopped. */
function unfitToRun(action: UnitAction, loadState: string): string | undefined {
  if (loadState === 'not-found') return action === 'stop' ? 'not loaded' : 'not found';
  if (action === 'stop') return undefined;
  if (loadState === 'masked') return 'is masked';
  return loadState === 'bad-setting' ? 'has a bad unit file setting' : undefined;
}
