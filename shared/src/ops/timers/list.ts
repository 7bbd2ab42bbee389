/** Loaded systemd timers: when they ran, when they will run, and what they start. Changes nothing. */
import { simpleGlob } from '../../config/match.ts';
import { propertiesOf, propertyOf, showUnits, type UnitProperties } from '../../host/systemd/show.ts';
import { clocksNow, parseSpan, parseStamp, timeOrNever, type Clocks } from '../../host/systemd/times.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation } from '../operation.ts';
import { byName } from '../services/list.ts';

/** Asked of systemd for every timer. */
export const TIMER_PROPERTIES: readonly string[] = [
  ...['Id', 'Description', 'LoadState', 'ActiveState', 'SubState', 'Unit'],
  ...['NextElapseUSecRealtime', 'NextElapseUSecMonotonic', 'LastTriggerUSec'],
  ...['TimersCalendar', 'TimersMonotonic', 'Persistent', 'Result'],
];

const filter = { type: 'string', maxLength: 255 } as const;
const args = {
  type: 'object',
  properties: { pattern: { ...filter, description: 'glob on the full unit name' }, active_state: filter },
  required: [],
  additionalProperties: false,
} as const;

const text = { type: 'string' } as const;
const record = {
  type: 'object',
  properties: {
    name: text,
    description: text,
    load_state: text,
    active_state: text,
    sub_state: text,
    /** What the timer starts. */
    unit: text,
    /** RFC 3339 in UTC, or `never`. */
    next_run: text,
    last_run: text,
    /** For instance `OnCalendar=daily`, `OnBootSec=15min`. */
    schedule: { type: 'array', items: text },
    persistent: { type: 'boolean' },
    result: text,
  },
  // prettier-ignore
  required: ['name', 'description', 'load_state', 'active_state', 'sub_state', 'unit', 'next_run', 'last_run', 'schedule', 'persistent', 'result'],
  additionalProperties: false,
} as const;
export type TimerRecord = Static<typeof record>;

export const timersList = operation<Static<typeof args>, Static<typeof NOTHING>, TimerRecord>({
  name: 'timers/list',
  args,
  kind: 'records',
  result: NOTHING,
  record,
  where: 'loop',
  async run({ pattern, active_state }, context) {
    const { programs, signal } = context;
    const units = await showUnits({ programs, signal, properties: TIMER_PROPERTIES, unit: '*.timer', all: true });
    const now = clocksNow();
    const chosen = units
      .map((unit) => timerRecord(unit, now))
      .filter((timer) => pattern === undefined || simpleGlob(pattern, timer.name))
      .filter((timer) => active_state === undefined || timer.active_state === active_state)
      .sort(byName);
    for (const timer of chosen) await context.emit(timer);
    return {};
  },
});

/** One timer as systemd describes it; elapses since boot are turned into times of day with both clocks. */
export function timerRecord(timer: UnitProperties, now: Clocks): TimerRecord {
  return {
    name: propertyOf(timer, 'Id'),
    description: propertyOf(timer, 'Description'),
    load_state: propertyOf(timer, 'LoadState'),
    active_state: propertyOf(timer, 'ActiveState'),
    sub_state: propertyOf(timer, 'SubState'),
    unit: propertyOf(timer, 'Unit'),
    next_run: timeOrNever(nextRun(timer, now)),
    last_run: timeOrNever(parseStamp(propertyOf(timer, 'LastTriggerUSec'))),
    schedule: schedule(timer),
    persistent: propertyOf(timer, 'Persistent') === 'yes',
    result: propertyOf(timer, 'Result'),
  };
}

/** The earlier of the two elapses; systemd says 0 or `infinity` where there is none. */
function nextRun(timer: UnitProperties, { wall, monotonic }: Clocks): number | undefined {
  const elapse = parseSpan(propertyOf(timer, 'NextElapseUSecMonotonic'));
  const times = [
    parseStamp(propertyOf(timer, 'NextElapseUSecRealtime')),
    elapse === undefined || elapse === 0 ? undefined : wall - monotonic + elapse,
  ].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** From `{ OnCalendar=*-*-* 00:00:00 ; next_elapse=.. }` and `{ OnBootUSec=15min ; next_elapse=.. }`. */
function schedule(timer: UnitProperties): string[] {
  return [...propertiesOf(timer, 'TimersCalendar'), ...propertiesOf(timer, 'TimersMonotonic')]
    .map((value) => /^\{ (\w+)=(.*?) ; next_elapse=/.exec(value))
    .filter((parts) => parts !== null)
    .map(([, name = '', value = '']) => `${name.replace(/USec$/, 'Sec')}=${value}`);
}
