/** Cutting the command line before any schema is known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeConnection, takeWord } from './line.ts';
import type { Flags } from './options.ts';

function cut(line: string): { verb: string | undefined; flags: Flags; words: string[] } {
  const words = line.split(' ');
  const flags: Flags = new Map();
  const verb = takeWord(words, flags);
  takeConnection(words, flags);
  return { verb, flags, words };
}

test('options before the verb are stewardctl’s own', () => {
  const { verb, flags, words } = cut('-o json --server=https://h:1 -p --insecure list files /etc --all');
  assert.equal(verb, 'list');
  assert.deepEqual(
    [...flags],
    [
      ['output', 'json'],
      ['server', 'https://h:1'],
      ['privileged', true],
      ['insecure', true],
    ],
  );
  assert.deepEqual(words, ['files', '/etc', '--all']);
});

test('options that say where to connect are found anywhere before --', () => {
  const { flags, words } = cut('list files /etc --context lab --config-dir=/c -- --server x');
  assert.deepEqual(
    [...flags],
    [
      ['context', 'lab'],
      ['config-dir', '/c'],
    ],
  );
  assert.deepEqual(words, ['files', '/etc', '--', '--server', 'x']);
});

test('--insecure behind the verb is left for the tool: it never weakens the connection', () => {
  const { flags, words } = cut('curl network https://x --insecure');
  assert.equal(flags.has('insecure'), false);
  assert.deepEqual(words, ['network', 'https://x', '--insecure']);
});

test('what is wrong before the verb', () => {
  assert.throws(() => cut('--sever x list files'), /unknown option --sever \(did you mean --server\?\)/);
  assert.throws(() => cut('-o csv list files'), /--output must be one of text, json, yaml, table, wide, name, got "csv"/);
  assert.throws(() => cut('--privileged=yes list files'), /--privileged takes no value/);
  assert.throws(() => cut('--server'), /--server needs a value/);
  assert.throws(() => cut('--token abc list files'), /unknown option --token/);
});
