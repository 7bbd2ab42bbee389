/** Proves the times and schedules of timers. The output was recorded from systemd 252 in a container 3389 s after boot. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseShow } from '../../host/systemd/show.ts';
import { testContext } from '../../testing/context.ts';
import { scriptedPrograms } from '../../testing/scripted-programs.ts';
import { timerRecord, timersList, type TimerRecord } from './list.ts';

const SHOWN = `Unit=systemd-tmpfiles-clean.service
TimersMonotonic={ OnUnitActiveUSec=1d ; next_elapse=0 }
TimersMonotonic={ OnBootUSec=15min ; next_elapse=1h 10min 45.768719s }
NextElapseUSecRealtime=
NextElapseUSecMonotonic=1h 10min 45.768719s
LastTriggerUSec=
Result=success
Persistent=no
Id=systemd-tmpfiles-clean.timer
Description=Daily Cleanup of Temporary Directories
LoadState=loaded
ActiveState=active
SubState=waiting

Unit=s-bad.service
TimersMonotonic={ OnBootUSec=1w ; next_elapse=1w 55min 45.768719s }
TimersCalendar={ OnCalendar=Mon *-*-* 12:00:00 ; next_elapse=Mon 2026-11-23 12:00:00 UTC }
TimersCalendar={ OnCalendar=*-*-* 00:00:00 ; next_elapse=Sat 2026-11-21 00:00:00 UTC }
NextElapseUSecRealtime=Sat 2026-11-21 00:00:00 UTC
NextElapseUSecMonotonic=1w 55min 45.768719s
LastTriggerUSec=Fri 2026-11-20 00:00:01 UTC
Result=success
Persistent=yes
Id=s-cal.timer
Description=s-cal.timer
LoadState=loaded
ActiveState=active
SubState=waiting

Unit=fstrim.service
TimersCalendar={ OnCalendar=Mon *-*-* 00:00:00 ; next_elapse=(null) }
NextElapseUSecRealtime=
NextElapseUSecMonotonic=infinity
LastTriggerUSec=
Result=success
Persistent=yes
Id=fstrim.timer
Description=Discard unused blocks once a week
LoadState=loaded
ActiveState=inactive
SubState=dead

Unit=apt-daily.service
TimersCalendar={ OnCalendar=*-*-* 06,18:00:00 ; next_elapse=Fri 2026-11-20 18:00:00 UTC }
NextElapseUSecRealtime=Fri 2026-11-20 20:24:07 UTC
NextElapseUSecMonotonic=0
LastTriggerUSec=n/a
Result=success
Persistent=yes
Id=apt-daily.timer
Description=Daily apt download activities
LoadState=loaded
ActiveState=active
SubState=waiting
`;

/** Both clocks when the output was recorded: boot was at 14:00:55.4 UTC. */
const NOW = { wall: Date.UTC(2026, 10, 20, 14, 57, 24, 400), monotonic: 3_389_000 };

test('next and last runs', () => {
  const timers = new Map(parseShow(SHOWN).map((unit) => [unit.get('Id')?.[0], timerRecord(unit, NOW)]));
  const times = (name: string) => [timers.get(name)?.next_run, timers.get(name)?.last_run];
  assert.deepEqual(times('systemd-tmpfiles-clean.timer'), ['2026-11-20T15:11:41Z', 'never']);
  assert.deepEqual(times('s-cal.timer'), ['2026-11-21T00:00:00Z', '2026-11-20T00:00:01Z']);
  assert.deepEqual(times('fstrim.timer'), ['never', 'never']);
  assert.deepEqual(times('apt-daily.timer'), ['2026-11-20T20:24:07Z', 'never']);
});

test('the monotonic elapse counts when it is the earlier one', () => {
  const later = SHOWN.replace(
    'NextElapseUSecRealtime=Sat 2026-11-21 00:00:00 UTC',
    'NextElapseUSecRealtime=Sat 2027-11-20 00:00:00 UTC',
  );
  const timer = parseShow(later).map((unit) => timerRecord(unit, NOW))[1];
  assert.equal(timer?.next_run, '2026-11-27T14:56:41Z');
});

async function list(args: Parameters<typeof timersList.run>[0]) {
  const programs = scriptedPrograms(() => ({ stdout: SHOWN }));
  const context = testContext<TimerRecord>({ programs });
  await timersList.run(args, context);
  return { records: context.records, programs };
}

test('a whole record, by name, filtered', async () => {
  const { records, programs } = await list({});
  assert.deepEqual(
    records.map(({ name }) => name),
    ['apt-daily.timer', 'fstrim.timer', 's-cal.timer', 'systemd-tmpfiles-clean.timer'],
  );
  const { next_run: _next, last_run: _last, ...rest } = records[2]!;
  assert.deepEqual(rest, {
    name: 's-cal.timer',
    description: 's-cal.timer',
    load_state: 'loaded',
    active_state: 'active',
    sub_state: 'waiting',
    unit: 's-bad.service',
    schedule: ['OnCalendar=Mon *-*-* 12:00:00', 'OnCalendar=*-*-* 00:00:00', 'OnBootSec=1w'],
    persistent: true,
    result: 'success',
  });
  assert.deepEqual(records[3]?.schedule, ['OnUnitActiveSec=1d', 'OnBootSec=15min']);
  assert.match(programs.lines()[0] ?? '', /--no-pager --all show --property=Id,.*,Persistent,Result -- \*\.timer$/);
  assert.equal(programs.asked[0]?.utc, true);
  assert.equal((await list({ pattern: 's-*' })).records.length, 1);
  assert.equal((await list({ active_state: 'inactive' })).records.length, 1);
});
