/** The list of wire cases in docs/PROTOCOL.md and the tests that prove them: no case without a test, no test of a case that is not listed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, WORKSPACES, filesIn, isTest } from './lib/sources.ts';

const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Numbers of the cases, in the order in which they are listed. */
const listed = [...text('docs/PROTOCOL.md').matchAll(/^\| (\d{3}a?) \|/gm)].map(([, number = '']) => number);

/** Numbers that titles of tests name: `wire 001, 002: what is shown`. */
function proven(): ReadonlySet<string> {
  const titles = filesIn([...WORKSPACES, 'test'], isTest).flatMap((file) => [
    ...text(file).matchAll(/['"`]wire (\d{3}a?(?:, \d{3}a?)*): /g),
  ]);
  return new Set(titles.flatMap(([, numbers = '']) => numbers.split(', ')));
}

test('the numbers of the list are unique and rise', () => {
  assert.deepEqual(listed, [...new Set(listed)].sort());
  assert.equal(listed.length, 138);
});

test('every case that is listed has a test, and every test names a case that is listed', () => {
  const found = proven();
  assert.deepEqual(
    listed.filter((number) => !found.has(number)),
    [],
  );
  assert.deepEqual(
    [...found].filter((number) => !listed.includes(number)),
    [],
  );
});
