/** Catalogue entry: words and text of timers/list. */
import { timersList, type TimerRecord } from '@steward/shared/ops/timers/list.ts';
import { blocks } from '../../render/blocks.ts';
import { escapeName } from '../../render/names.ts';
import { tool } from '../tool.ts';

export const timersListTool = tool({
  name: 'timers/list',
  title: 'List systemd timers',
  description:
    'List loaded systemd timers with next and last run, schedule and unit started. Text blocks or JSON. Cron jobs: cron/manage.',
  op: timersList,
  formats: true,
  human: false,
  text: (outcome) => ({ text: blocks(outcome.records(), block, 'No timers found matching the criteria.') }),
});

function block({ name, active_state, next_run, last_run, unit, schedule, description }: TimerRecord): string {
  return [
    `[${escapeName(active_state)}] ${escapeName(name)}`,
    `  Next: ${next_run} | Last: ${last_run} | Runs: ${orDash(unit)}`,
    `  Schedule: ${orDash(schedule.join('; '))}`,
    `  Desc: ${escapeName(description)}`,
  ].join('\n');
}

/** A timer whose file is gone runs nothing. */
const orDash = (text: string): string => (text === '' ? '-' : escapeName(text));
