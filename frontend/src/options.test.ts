/** The command line. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOptions } from './options.ts';

test('what may be given', () => {
  assert.deepEqual(parseOptions(['--socket', '/s']), { socket: '/s', worker: undefined, listen: [], exitWithStdin: false });
  assert.deepEqual(
    parseOptions(['--socket', '/s', '--worker', '/w', '--listen', '127.0.0.1:1', '--listen', '[::1]:2', '--exit-with-stdin']),
    { socket: '/s', worker: '/w', listen: ['127.0.0.1:1', '[::1]:2'], exitWithStdin: true },
  );
});

test('what may not', () => {
  for (const args of [[], ['--socket'], ['--socket', ''], ['--socket', '/s', '--other'], ['--socket', '/s', 'word']]) {
    assert.throws(() => parseOptions(args), TypeError);
  }
});
