/** Nothing that a server sends may drive the terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forTerminal, jsonForTerminal, oneCell, oneLine } from './safety.ts';

const ESC = '\u001b';
const CSI = '\u009b';

test('every control character but tab and newline is spelled', () => {
  assert.equal(forTerminal(`a${ESC}]0;owned\u0007b`), 'a\\x1b]0;owned\\x07b');
  assert.equal(forTerminal(`${CSI}31m\r\u007f\u0000`), '\\x9b31m\\r\\x7f\\x00');
  assert.equal(forTerminal('a\tb\nc é 漢 😀'), 'a\tb\nc é 漢 😀');
  for (let code = 0; code < 0xa0; code += 1) {
    const shown = forTerminal(String.fromCharCode(code));
    // eslint-disable-next-line no-control-regex -- control characters are the subject
    assert.equal(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(shown), false, `U+${code.toString(16)}`);
  }
});

test('JSON stays the same document', () => {
  const document = JSON.stringify({ name: `x${CSI}31m\u007f${ESC}` });
  const shown = jsonForTerminal(document);
  assert.equal(shown.includes(CSI), false);
  assert.deepEqual(JSON.parse(shown), JSON.parse(document));
});

test('cells and messages are one line', () => {
  assert.equal(oneCell('a\nb\tc\u001b'), 'a\\nb\\tc\\x1b');
  assert.equal(oneLine('first\n  second\n\nthird\n'), 'first; second; third');
});
