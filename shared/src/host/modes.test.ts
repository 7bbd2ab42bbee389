/** Proves mode arithmetic against the chmod program itself, and the letters of listings. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { failsWith } from '../testing/context.ts';
import { random, withDirectory } from '../testing/tree.ts';
import { applyMode, parseMode } from './mode-change.ts';
import { findType, modeString, octalMode, permissionsOf, typeName } from './modes.ts';

test('modes as listings show them', () => {
  assert.equal(modeString(0o100644), '-rw-r--r--');
  assert.equal(modeString(0o40755), 'drwxr-xr-x');
  assert.equal(modeString(0o104755), '-rwsr-xr-x');
  assert.equal(modeString(0o107644), '-rwSr-Sr-T');
  assert.equal(modeString(0o41777), 'drwxrwxrwt');
  assert.equal(modeString(0o120777), 'lrwxrwxrwx');
  assert.equal(octalMode(0o100644), '0644');
  assert.equal(octalMode(0o4755), '4755');
  const device = lstatSync('/dev/null', { bigint: true });
  assert.deepEqual([typeName(Number(device.mode)), findType(Number(device.mode))], ['char', 'c']);
});

test('what is no mode is refused by its own text', () => {
  for (const text of [
    '999',
    '',
    '77777',
    '010000',
    '000644',
    'u',
    'u+q',
    '+-x,',
    'ux',
    'u+rug',
    'x+u',
    'u+r,',
    '0644 ',
    'u=rw x',
  ]) {
    assert.throws(() => parseMode(text), failsWith('mode_invalid', { value: text }), text);
  }
});

test('directories keep setuid and setgid unless they are named', () => {
  const directory = (mode: string, before: number): number => applyMode(parseMode(mode), before, true);
  assert.equal(directory('755', 0o2700), 0o2755);
  assert.equal(directory('0755', 0o6700), 0o6755);
  assert.equal(directory('00755', 0o6700), 0o755);
  assert.equal(directory('2755', 0o700), 0o2755);
  assert.equal(directory('g-s', 0o2755), 0o755);
  assert.equal(applyMode(parseMode('755'), 0o6700, false), 0o755);
});

/** A random mode argument in the notation of the documentation. */
function randomMode(next: () => number): string {
  const some = (letters: string, most: number): string =>
    Array.from({ length: Math.floor(next() * (most + 1)) }, () => letters[Math.floor(next() * letters.length)]).join('');
  if (next() < 0.3) return some('01234567', 4) || '0';
  const action = (): string => (some('+-=', 1) || '=') + (next() < 0.25 ? some('ugo', 1) : some('rwxXst', 4));
  const clause = (): string => some('ugoa', 3) + Array.from({ length: 1 + Math.floor(next() * 2) }, action).join('');
  return Array.from({ length: 1 + Math.floor(next() * 3) }, clause).join(',');
}

test('random modes give what the chmod program gives', () =>
  withDirectory((root) => {
    writeFileSync(`${root}/file`, '');
    mkdirSync(`${root}/directory`);
    const next = random(7);
    for (let index = 0; index < 250; index++) {
      const mode = randomMode(next);
      const before = Math.floor(next() * 0o10000);
      const names = ['file', 'directory'].map((name) => `${root}/${name}`);
      for (const name of names) chmodSync(name, before);
      execFileSync('/bin/sh', ['-c', 'umask 022; exec chmod -- "$@"', 'sh', mode, ...names], {
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      for (const [position, name] of names.entries()) {
        const expected = octalMode(permissionsOf(lstatSync(name, { bigint: true })));
        assert.equal(
          octalMode(applyMode(parseMode(mode), before, position === 1)),
          expected,
          `${mode} on ${octalMode(before)} ${name}`,
        );
      }
    }
  }));
