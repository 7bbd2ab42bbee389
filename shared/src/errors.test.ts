/** The registry: one key, one text; every place of a text is filled; nothing but key and parameters crosses the socket. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { ERRORS, StewardError, errorText, isErrorKey, reasonOf, systemError } from './errors.ts';

test('no key stands in two areas', () => {
  const directory = new URL('./errors/', import.meta.url);
  const keys = readdirSync(directory).flatMap((file) =>
    [...readFileSync(new URL(file, directory), 'utf8').matchAll(/^ {2}(\w+): \{/gm)].map((match) => match[1]),
  );
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(keys.length, Object.keys(ERRORS).length);
});

test('codes are upper-case words, texts have no newline', () => {
  for (const [key, { code, text }] of Object.entries(ERRORS)) {
    assert.match(code, /^[A-Z]+(_[A-Z]+)*$/, key);
    assert.notEqual(text, '', key);
  }
});

test('places are filled literally, also by values that look like places or patterns', () => {
  assert.equal(errorText('open_file', { path: '$& {reason}', reason: 'why' }), 'failed to open file: $& {reason}: why');
  assert.equal(errorText('open_file', { path: '/x' }), 'failed to open file: /x: {reason}');
  assert.equal(isErrorKey('toString'), false);
});

test('only key and parameters are told', () => {
  const error = new StewardError('path_invalid', { path: '/x' }, { cause: new Error('inner') });
  assert.deepEqual(JSON.parse(JSON.stringify(error.toWire())), { key: 'path_invalid', params: { path: '/x' } });
  assert.equal(error.code, 'BAD_ARGS');
});

test('system errors get the C library’s words; anything else is not one', () => {
  const denied = Object.assign(new Error('x'), { code: 'EACCES' });
  assert.equal(systemError('open_file', { path: '/x' }, denied).message, 'failed to open file: /x: permission denied');
  assert.equal(reasonOf(Object.assign(new Error('x'), { code: 'EXDEV' })), 'EXDEV');
  assert.throws(() => systemError('open_file', { path: '/x' }, new TypeError('a defect')), TypeError);
});
