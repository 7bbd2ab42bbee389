/** Proves the glob matcher, also against the shell's own find(1) and against patterns made to be slow. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { random } from '../testing/tree.ts';
import { compileByteGlob, compileGlob } from './glob.ts';

const CASES: readonly [string, string, boolean][] = [
  ['*', '', true],
  ['*', '.hidden', true],
  ['*.txt', 'a.txt', true],
  ['*.txt', 'a.TXT', false],
  ['?', 'é', true],
  ['?', '', false],
  ['a?c', 'abc', true],
  ['[abc]x', 'bx', true],
  ['[!abc]x', 'bx', false],
  ['[^a]', 'b', true],
  ['[a-c]', 'b', true],
  ['[]]', ']', true],
  ['[a-]', '-', true],
  ['[', '[', true],
  ['[a', '[a', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['[[:digit:]]*', '7x', true],
  ['[[:alpha:]_]', '_', true],
  ['a*b*c', 'aXbYbZc', true],
  ['a*b*c', 'aXbY', false],
  ['a', 'ab', false],
];

test('globs', () => {
  for (const [pattern, name, expected] of CASES) assert.equal(compileGlob(pattern)(name), expected, `${pattern} ${name}`);
});

test('of many names those come out that match one by one, in their order', () => {
  const next = random(11);
  const word = (letters: string, most: number): string =>
    Array.from({ length: Math.floor(next() * most) }, () => letters[Math.floor(next() * letters.length)]).join('');
  for (const most of [3, 5000]) {
    const names = Array.from({ length: most }, () => `${word('ab.', 5)}b`);
    for (const pattern of ['*', '**', ...Array.from({ length: 200 }, () => word('ab.*?[]/é', 6))]) {
      const expected = names.filter((name) => compileGlob(pattern)(name));
      assert.deepEqual(compileByteGlob(pattern)(names), expected, pattern);
    }
  }
  assert.deepEqual(compileByteGlob('\u00e9*')(['\xc3\xa9a', '\xe9a', 'a']), ['\xc3\xa9a']);
});

test('a pattern made of stars is not slow', () => {
  const match = compileGlob(`${'a*'.repeat(500)}b`);
  const begin = performance.now();
  assert.equal(match('a'.repeat(255)), false);
  assert.ok(performance.now() - begin < 1000);
});

test('a pattern made of brackets that never close is not slow, and each stands for itself', () => {
  const pattern = '['.repeat(20_000);
  const begin = performance.now();
  assert.ok(compileGlob(pattern)(pattern));
  assert.ok(performance.now() - begin < 1000);
  assert.ok(compileGlob('[x[:alpha:]')('[xa'));
});

test('random patterns match what the shell matches', () => {
  const next = random(3);
  const word = (letters: string, most: number): string =>
    Array.from({ length: 1 + Math.floor(next() * most) }, () => letters[Math.floor(next() * letters.length)]).join('');
  const cases = Array.from({ length: 300 }, () => [word('ab*?[]!-', 6), word('ab[]!-', 4)] as const);
  const script = 'while [ $# -gt 1 ]; do case "$2" in $1) printf 1;; *) printf 0;; esac; shift 2; done';
  const output = execFileSync('/bin/bash', ['--norc', '-c', script, 'bash', ...cases.flat()], {
    env: { LC_ALL: 'C.UTF-8' },
    stdio: 'pipe',
  }).toString();
  for (const [index, [pattern, name]] of cases.entries()) {
    assert.equal(compileGlob(pattern)(name), output[index] === '1', `${pattern} ${name}`);
  }
});
