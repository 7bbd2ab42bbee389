/**
 * The abuse plan in docs/ABUSE.md and the tests that carry it out: every case has a test or a reason at either door, every test that
 * claims a case is listed with it, and what is named is there.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, WORKSPACES, filesIn, isTest } from './lib/sources.ts';

const text = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const DOORS = ['frontend', 'broker'] as const;
/** Cases in which a door takes no part have a letter there, which the document explains. */
const REASON = /^[a-d]$/;

interface Cell {
  readonly number: number;
  readonly door: (typeof DOORS)[number];
  readonly words: readonly string[];
}

const rows = [...text('docs/ABUSE.md').matchAll(/^\| (\d{3}) \| .+ \| .+ \| (.+) \| (.+) \|$/gm)];
function wordsOf(cell: string): string[] {
  return cell.match(/`[^`]+`|wire \d{3}a?(?:, \d{3}a?)*|[^,\s]+/g) ?? [];
}

const cells: readonly Cell[] = rows.flatMap(([, number, ...doors]) =>
  DOORS.map((door, index) => ({ number: Number(number), door, words: wordsOf(doors[index] ?? '') })),
);

/** Names of tests, `wire` cases and letters; numbers of wire cases stay together. */

/** `012 broker test/file`, for every comment `abuse 12: broker` above a test. */
function claimed(): Set<string> {
  const files = filesIn([...WORKSPACES, 'scripts', 'test'], isTest);
  const claims = files.flatMap((file) =>
    [...text(file).matchAll(/^\s*\/\/ abuse (\d+(?:, \d+)*): (both doors|frontend|broker)$/gm)].flatMap(
      ([, numbers = '', door]) =>
        numbers
          .split(', ')
          .flatMap((number) =>
            DOORS.filter((one) => door === 'both doors' || door === one).map(
              (one) => `${number.padStart(3, '0')} ${one} ${file.replace(/\.test\.ts$/, '')}`,
            ),
          ),
    ),
  );
  return new Set(claims);
}

test('112 cases, in order', () => {
  assert.deepEqual(
    rows.map(([, number]) => Number(number)),
    Array.from({ length: 112 }, (_, index) => index + 1),
  );
});

test('every case has a test at one door at least, and at the other one too or the reason why not', () => {
  for (const { number, door, words } of cells) assert.ok(words.length > 0, `case ${number} at the ${door}`);
  for (const [, number, ...doors] of rows) assert.ok(doors.join().includes('`'), `case ${number} has no test`);
});

test('tests that claim a case and cases that name a test are the same', () => {
  const listed = cells.flatMap(({ number, door, words }) =>
    words.filter((word) => word.startsWith('`')).map((word) => `${String(number).padStart(3, '0')} ${door} ${word.slice(1, -1)}`),
  );
  assert.deepEqual(listed.sort(), [...claimed()].sort());
});

test('reasons are explained and wire cases are listed', () => {
  const [explained, wire] = [text('docs/ABUSE.md'), text('docs/PROTOCOL.md')];
  for (const { number, words } of cells) {
    for (const word of words.filter((one) => !one.startsWith('`'))) {
      if (REASON.test(word)) assert.ok(explained.includes(`- **${word}**: `), `${number}: ${word}`);
      else {
        assert.match(word, /^wire /, `case ${number}`);
        for (const [one] of word.matchAll(/\d{3}a?/g)) assert.ok(wire.includes(`\n| ${one} | `), `case ${number}: wire ${one}`);
      }
    }
  }
});
