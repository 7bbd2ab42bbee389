/** Failures within and beyond the limit, and the bounds of what is remembered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FailureThrottle } from './throttle.ts';

test('failures beyond the limit of an address are reported as one number', async () => {
  const reports: [string, number][] = [];
  const throttle = new FailureThrottle((address, count) => reports.push([address, count]), 10, 50);
  const within = Array.from({ length: 7 }, () => throttle.failed('192.0.2.1', 3));
  assert.deepEqual(within, [true, true, true, false, false, false, false]);
  assert.equal(throttle.failed('192.0.2.2', 3), true);
  const ref = setInterval(() => undefined, 10);
  await sleep(120);
  clearInterval(ref);
  assert.deepEqual(reports, [['192.0.2.1', 4]]);
  assert.equal(throttle.failed('192.0.2.1', 3), true);
  throttle.close();
});

test('the delayed wait, but never too many of them, and nobody waits for a closed throttle', async () => {
  const throttle = new FailureThrottle(() => undefined, 10_000, 60_000);
  let released = 0;
  const waits = Array.from({ length: 80 }, () => throttle.delay().then(() => (released += 1)));
  await sleep(5);
  assert.equal(released, 16);
  throttle.close();
  await Promise.all(waits);
  assert.equal(released, 80);
});

test('what remains is reported when the throttle is closed', () => {
  const reports: number[] = [];
  const throttle = new FailureThrottle((_address, count) => reports.push(count));
  for (let n = 0; n < 5; n += 1) throttle.failed('::1', 1);
  throttle.close();
  assert.deepEqual(reports, [4]);
});

test('the addresses of one IPv6 network count together', () => {
  const reports: [string, number][] = [];
  const throttle = new FailureThrottle((address, count) => reports.push([address, count]));
  const within = ['2001:db8:0:7::1', '2001:db8:0:7:ffff::2', '2001:db8:0:8::1'].map((address) => throttle.failed(address, 1));
  assert.deepEqual(within, [true, false, true]);
  throttle.close();
  assert.deepEqual(reports, [['2001:db8:0:7::/64', 1]]);
});

test('strangers from many addresses get only so many records, and the rest one number', async () => {
  const reports: [string, number][] = [];
  const throttle = new FailureThrottle((address, count) => reports.push([address, count]), 10, 50);
  let recorded = 0;
  for (let n = 0; n < 10_000; n += 1) if (throttle.failed(`10.0.${n >> 8}.${n & 255}`, 10)) recorded += 1;
  assert.deepEqual([recorded, reports.length], [600, 0]);
  const ref = setInterval(() => undefined, 10);
  await sleep(120);
  clearInterval(ref);
  throttle.close();
  const told = reports.reduce((sum, [, count]) => sum + count, 0);
  assert.deepEqual([told, reports.length <= 2 * 600 + 2], [9400, true]);
  assert.equal(reports.filter(([address]) => address === 'other addresses').length >= 1, true);
});
