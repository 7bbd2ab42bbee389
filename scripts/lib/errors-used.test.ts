/** The registry of errors holds no text that nothing answers, and none that no test has seen. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ERRORS } from '@steward/shared/errors.ts';
import { ROOT, WORKSPACES, filesIn, isProduct, isTest } from './sources.ts';

const textOf = (files: readonly string[]): string => files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
const isSupport = (file: string): boolean => /\/testing\//.test(file);

const product = textOf(
  filesIn(WORKSPACES, isProduct).filter((file) => !isSupport(file) && !file.startsWith('shared/src/errors/')),
);
const tests = textOf([...filesIn(WORKSPACES, isTest), ...filesIn(['test'], (name) => name.endsWith('.ts'))]);
const keys = Object.keys(ERRORS) as (keyof typeof ERRORS)[];

/** The longest piece of its text that has no parameter in it. */
const wordsOf = (key: keyof typeof ERRORS): string =>
  ERRORS[key].text
    .split(/\{\w+\}|"/)
    .reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '')
    .trim();

test('every error is thrown somewhere', () => {
  const unused = keys.filter((key) => !product.includes(`'${key}'`));
  assert.deepEqual(unused, []);
});

test('every error is expected by a test, by its key or by its words', () => {
  const unseen = keys.filter((key) => !tests.includes(`'${key}'`) && !tests.includes(wordsOf(key)));
  assert.deepEqual(unseen, []);
});
