/**
 * Starts, stops, restarts, reloads, enables or disables one systemd unit and waits for the job. As root the unit has been resolved
 * and permitted before this runs; unprivileged systemd asks polkit. steward's own units are refused either way.
 */
import { StewardError } from '../../errors.ts';
import type { ProgramResult } from '../../host/programs.ts';
import { jobReport, wasDenied, type JobReport } from '../../host/systemd/jobs.ts';
import { propertyOf, reachSystemd, showUnit } from '../../host/systemd/show.ts';
import { refuseOwnUnit, unitName } from '../../host/systemd/unit-names.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';
import { refusalForeseen } from './foreseen.ts';

export const UNIT_ACTIONS = ['start', 'stop', 'restart', 'reload', 'enable', 'disable'] as const;
/** What decides about a unit before anything is done to it. */
export const UNIT_STATE = ['Id', 'LoadState', 'ActiveState', 'SubState'] as const;

/** The longest that a call can be given; the call's own limit comes through its signal. */
const MAX_TIME_MS = 600_000;
/** Links in a few directories. */
const LINK_TIME_MS = 60_000;

const args = {
  type: 'object',
  properties: {
    service: { type: 'string', maxLength: 1024, description: 'unit; .service may be omitted' },
    action: { type: 'string', enum: UNIT_ACTIONS },
    dry_run: { type: 'boolean' },
  },
  required: ['service', 'action'],
  additionalProperties: false,
} as const;

const result = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: UNIT_ACTIONS },
    /** Full name of the unit. */
    unit: { type: 'string' },
    dry_run: { type: 'boolean' },
    /** Before the action, for instance `active` and `running`. */
    active_state: { type: 'string' },
    sub_state: { type: 'string' },
    /** Number of the job, when systemd tells it. */
    job: { type: 'integer' },
    /** How the job ended. */
    status: { type: 'string' },
    /** enable: whether the unit has an [Install] section. */
    install: { type: 'boolean' },
    /** enable, disable: links made or removed. */
    changes: { type: 'integer' },
  },
  required: ['action', 'unit', 'dry_run', 'active_state', 'sub_state'],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;
export type UnitAction = Args['action'];
export type ManageResult = Static<typeof result>;

export const servicesManage = operation<Args, ManageResult>({
  name: 'services/manage',
  args,
  kind: 'value',
  result,
  where: 'loop',
  async run({ service, action, dry_run: dry = false }, context) {
    const { programs, signal } = context;
    const typed = unitName(service);
    refuseOwnUnit(typed);
    const state = await showUnit({ programs, signal, properties: UNIT_STATE, unit: typed });
    const unit = propertyOf(state, 'Id') || typed;
    refuseOwnUnit(unit);
    const about = { unit, active_state: propertyOf(state, 'ActiveState'), sub_state: propertyOf(state, 'SubState') };
    if (dry) {
      const refusal = refusalForeseen(action, unit, propertyOf(state, 'LoadState'));
      if (refusal !== undefined) throw refusal;
      return { action, ...about, dry_run: true };
    }
    context.begin();
    const done =
      action === 'enable' || action === 'disable' ? await link(context, action, unit) : await runJob(context, action, unit);
    return { action, ...about, dry_run: false, ...done };
  },
});

const SYSTEMCTL = ['--system', '--no-pager', '--no-ask-password'];

/** What systemctl says before it waits; a call that is stopped meanwhile leaves the job to systemd. */
async function runJob(context: OpContext, action: UnitAction, unit: string): Promise<{ job?: number; status: string }> {
  const run = (options: readonly string[]): Promise<ProgramResult> => {
    const given = { program: 'systemctl', args: [...SYSTEMCTL, ...options, action, '--', unit], timeoutMs: MAX_TIME_MS };
    return reachSystemd(() => context.programs.run({ ...given, signal: context.signal }));
  };
  let ended = await run(['-T']);
  // Before systemd 242 there is no -T, and nothing was done.
  if (ended.status !== 0 && /invalid option -- '?T'?/.test(ended.stderr.toString('utf8'))) ended = await run([]);
  const report = jobReport(ended.status, ended.stderr.toString('utf8'));
  if (report.result !== 'done') throw failureOf(context, action, report);
  return { ...(report.job === undefined ? {} : { job: report.job }), status: report.result };
}

function failureOf(context: OpContext, action: UnitAction, { job, result: status, words }: JobReport): StewardError {
  if (status === undefined)
    return new StewardError('unit_job_refused', { action, reason: words, ...deniedParam(context, words) });
  const name = job === undefined ? 'Job' : `Job ${job}`;
  return new StewardError('unit_job_failed', { job: name, status, detail: words === '' ? '' : `\n${words}` });
}

/** Links of [Install] sections; what has begun is finished. */
async function link(
  context: OpContext,
  action: 'enable' | 'disable',
  unit: string,
): Promise<{ install: boolean; changes: number }> {
  const verb = action === 'enable' ? ['enable', '--force'] : ['disable'];
  const given = { program: 'systemctl', args: [...SYSTEMCTL, '--no-reload', ...verb, '--', unit], timeoutMs: LINK_TIME_MS };
  const { status, stdout, stderr } = await reachSystemd(() => context.programs.run(given));
  const words = `${stdout.toString('utf8')}${stderr.toString('utf8')}`.trim();
  if (status !== 0) throw new StewardError('unit_files', { action, reason: words, ...deniedParam(context, words) });
  const changes = words.split('\n').filter((line) => /^(?:Created symlink|Removed) /.test(line)).length;
  return { install: !words.includes('have no installation config'), changes };
}

/** Marks a refusal that root would not meet. */
function deniedParam({ privileged }: OpContext, words: string): { errno?: string } {
  return !privileged && wasDenied(words) ? { errno: 'EACCES' } : {};
}
