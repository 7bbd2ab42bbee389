/** Which argument vectors fit the template of a row. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsTemplate } from './argument-template.ts';

const fits = (template: string, ...argv: readonly string[]): boolean => fitsTemplate(template.split(' '), argv);

test('words stand as they are, all of them and no more', () => {
  assert.ok(fits('-j -a -- /dev/<device>', '-j', '-a', '--', '/dev/sda'));
  assert.ok(!fits('-j -a -- /dev/<device>', '-j', '-a', '--', '/etc/shadow'));
  assert.ok(!fits('-j -a', '-j'));
  assert.ok(!fits('-j -a', '-j', '-a', '-x'));
  assert.ok(!fits('-j -a', '-a', '-j'));
  assert.ok(!fits('a.c', 'abc'), 'a full stop is one');
});

test('text is filled in, but never an option', () => {
  assert.ok(fits('-u <account> -l', '-u', 'alice', '-l'));
  for (const account of ['-l', '--help', '-', '']) assert.ok(!fits('-u <account> -l', '-u', account, '-l'), account);
  assert.ok(fits('stop -- <unit>', 'stop', '--', '--version'), 'behind -- nothing is an option');
  assert.ok(fits('--unit=<unit>', '--unit=--version\nx'), 'glued to one it is its value');
  assert.ok(!fits('--unit=<unit>', '--units=a'));
});

test('one of several, and what may be absent', () => {
  assert.ok(fits('start|stop -- <unit>', 'stop', '--', 'a'));
  assert.ok(!fits('start|stop -- <unit>', 'start|stop', '--', 'a'));
  assert.ok(!fits('start|stop -- <unit>', 'startle', '--', 'a'));
  assert.ok(fits('--output=short|json', '--output=json'));
  assert.ok(!fits('--output=short|json', 'json'));
  assert.ok(fits('-q [--since=<time>] [--reverse]', '-q', '--reverse'));
  assert.ok(fits('-q [--since=<time>] [--reverse]', '-q', '--since=-1h', '--reverse'));
  assert.ok(!fits('-q [--since=<time>] [--reverse]', '-q', '--reverse', '--since=-1h'));
});
