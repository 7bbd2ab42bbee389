/** What is written within one turn leaves together, whole and in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gather } from './gather.ts';

test('lines of one turn are written at once and in order; the end of the process loses none', async () => {
  const written: string[] = [];
  const output = gather({ write: (text) => written.push(text) });
  for (const line of ['a\n', 'b\n']) output.write(line);
  assert.deepEqual(written, []);
  await new Promise((done) => setImmediate(done));
  output.write('c\n');
  output.flush();
  await new Promise((done) => setImmediate(done));
  assert.deepEqual(written, ['a\nb\n', 'c\n']);
});

test('much does not wait for the end of the turn', () => {
  const written: string[] = [];
  const output = gather({ write: (text) => written.push(text) });
  output.write('small ');
  output.write('x'.repeat(20_000));
  assert.deepEqual(written, [`small ${'x'.repeat(20_000)}`]);
});
