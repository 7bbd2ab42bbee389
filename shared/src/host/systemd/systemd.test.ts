/** Proves what is made of systemctl's words. The outputs were recorded from systemd 252 and 257. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failsWith } from '../../testing/context.ts';
import { jobReport, wasDenied } from './jobs.ts';
import { parseShow, propertiesOf, propertyOf } from './show.ts';
import { parseSpan, parseStamp, timeOrNever } from './times.ts';
import { refuseOwnUnit, unitName } from './unit-names.ts';

test('a unit name gets its suffix', () => {
  const names = {
    nginx: 'nginx.service',
    'a.socket': 'a.socket',
    'app@1': 'app@1.service',
    'a.b': 'a.b.service',
    'x@y.timer': 'x@y.timer',
  };
  for (const [typed, name] of Object.entries(names)) assert.equal(unitName(typed), name);
  assert.equal(unitName('dev-disk-by\\x2duuid.device'), 'dev-disk-by\\x2duuid.device');
  assert.equal(unitName('a'.repeat(247)).length, 255);
});

test('what is not one unit is refused', () => {
  const bad = [
    '',
    '-H',
    '--version',
    'a b.service',
    '*.service',
    'a?',
    '[a]',
    '@.service',
    '@a.service',
    'a@.service',
    'a/b',
    '../a',
  ];
  for (const typed of [...bad, 'a\n', 'a;b', '$(id)', '"a"', 'ä', 'a'.repeat(248), 'a'.repeat(257), '.a', ':a']) {
    assert.throws(() => unitName(typed), failsWith('unit_invalid', { unit: typed }), typed);
  }
});

test("steward's own units are known by name, instance and slice", () => {
  const own = [
    'steward-broker.socket',
    'steward-frontend.service',
    'steward-broker@3-812-990.service',
    'steward.slice',
    'steward-x.timer',
  ];
  for (const unit of [...own, 'system-steward\\x2dbroker.slice', 'steward\\x2dbroker.service']) {
    assert.throws(() => refuseOwnUnit(unit), failsWith('own_unit', { unit }), unit);
  }
  for (const unit of ['stewardship.service', 'my-steward-x.service', 'nginx.service', 'system-getty.slice']) refuseOwnUnit(unit);
});

test('properties in blocks', () => {
  const units = parseShow('Id=a.service\nDescription=A = b\n\nId=b.service\nX=1\nX=2\nX=\n');
  assert.equal(units.length, 2);
  assert.equal(propertyOf(units[0]!, 'Description'), 'A = b');
  assert.equal(propertyOf(units[0]!, 'X'), '');
  assert.deepEqual(propertiesOf(units[1]!, 'X'), ['1', '2']);
  assert.deepEqual(parseShow(''), []);
  assert.deepEqual(parseShow('\n'), []);
});

test('times of systemctl', () => {
  assert.equal(parseStamp('Sat 2026-11-21 06:04:35 UTC'), Date.UTC(2026, 10, 21, 6, 4, 35));
  assert.equal(parseStamp('Sat 2026-11-21 06:04:35.250 UTC'), Date.UTC(2026, 10, 21, 6, 4, 35, 250));
  for (const none of ['', 'n/a', '0', 'Sat 2026-11-21 06:04:35 CET', '(null)', 'Sat 2026-99-99 06:04:35 UTC']) {
    assert.equal(parseStamp(none), undefined, none);
  }
  assert.equal(parseSpan('1h 10min 45.768719s'), 4_245_768.719);
  assert.equal(parseSpan('1y 2month 3w 55min 45.768719s'), (31_557_600 + 2 * 2_629_800 + 3 * 604_800 + 3300 + 45.768719) * 1000);
  assert.equal(parseSpan('4d 250ms 7us'), 4 * 86_400_000 + 250.007);
  assert.equal(parseSpan('0'), 0);
  for (const none of ['', 'infinity', 'n/a', '1 fortnight', '1h x', '5constructor'])
    assert.equal(parseSpan(none), undefined, none);
  assert.equal(timeOrNever(undefined), 'never');
  assert.equal(timeOrNever(Date.UTC(2026, 10, 21, 0, 0, 0, 499)), '2026-11-21T00:00:00Z');
  assert.equal(timeOrNever(Date.UTC(2026, 10, 21, 0, 0, 0, 501)), '2026-11-21T00:00:01Z');
  assert.equal(timeOrNever(1e300), 'never');
});

test('a job that ended well', () => {
  assert.deepEqual(jobReport(0, 'Enqueued anchor job 255 s-good.service/start.\n'), { job: 255, result: 'done', words: '' });
  assert.deepEqual(jobReport(0, ''), { job: undefined, result: 'done', words: '' });
  assert.equal(jobReport(0, 'Enqueued anchor job 282 s-good.service/start.\nJob for s-good.service finished.\n').result, 'done');
  const stop =
    'Enqueued anchor job 9 a.service/stop.\nWarning: Stopping a.service, but it can still be activated by:\n  a.timer\n';
  assert.equal(jobReport(0, stop).result, 'done');
});

test('jobs that did not', () => {
  const failed =
    'Enqueued anchor job 421 s-bad.service/start.\nJob for s-bad.service failed because the control process exited with error code.\nSee "systemctl status s-bad.service" and "journalctl -xeu s-bad.service" for details.\n';
  const report = jobReport(1, failed);
  assert.deepEqual([report.job, report.result], [421, 'failed']);
  assert.match(report.words, /^Job for s-bad\.service failed because .*\nSee "systemctl status/);
  const dependency =
    "Enqueued anchor job 531 s-dep.service/start.\nEnqueued auxiliary job 532 s-bad.service/start.\nA dependency job for s-dep.service failed. See 'journalctl -xe' for details.\n";
  assert.deepEqual(jobReport(1, dependency), {
    job: 531,
    result: 'dependency',
    words: "A dependency job for s-dep.service failed. See 'journalctl -xe' for details.",
  });
  const endings = {
    'Job for a.service canceled.': 'canceled',
    'Job for a.service timed out.': 'timeout',
    's-good.service is not active, cannot reload.': 'invalid',
    'Job for s-slow.service failed because a timeout was exceeded.': 'failed',
    'Something new.': 'failed',
  };
  for (const [words, result] of Object.entries(endings)) {
    assert.equal(jobReport(1, `Enqueued anchor job 7 a.service/start.\n${words}\n`).result, result, words);
  }
  assert.equal(jobReport(1, 'Job for a.service canceled.\n').result, 'canceled');
});

test('no job was queued', () => {
  const refusals = [
    'Failed to start nosuch.service: Unit nosuch.service not found.',
    'Failed to reload s-bad.service: Job type reload is not applicable for unit s-bad.service.',
    'Failed to start s-masked.service: Unit s-masked.service is masked.',
  ];
  for (const words of refusals) assert.deepEqual(jobReport(5, `${words}\n`), { job: undefined, result: undefined, words });
});

test('who asks is why', () => {
  assert.ok(wasDenied('Failed to start s-good.service: Access denied'));
  assert.ok(wasDenied('Failed to enable unit: Interactive authentication required.'));
  assert.ok(!wasDenied('Failed to start nosuch.service: Unit nosuch.service not found.'));
});
