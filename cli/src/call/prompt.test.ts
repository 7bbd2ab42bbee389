/** A line that is typed without being shown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HiddenLine } from './prompt.ts';
import { EXIT } from '../exit.ts';

test('keys make a line, whichever pieces they come in', () => {
  const line = new HiddenLine();
  assert.equal(line.take('wrong\u0015se'), undefined);
  assert.equal(line.take('x\u007fcr'), undefined);
  assert.equal(line.take('et\rnext'), 'secret');
});

test('Ctrl-C interrupts, and so does the end of an empty line', () => {
  for (const key of ['abc\u0003', '\u0004']) assert.throws(() => new HiddenLine().take(key), { exit: EXIT.interrupted });
  assert.equal(new HiddenLine().take('abc\u0004'), 'abc');
});
