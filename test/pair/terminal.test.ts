/**
 * The pair as a person starts it: on a terminal, ended with Ctrl-C. A terminal differs from a pipe in what the runtime opens and in
 * who gets signals.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { startPair, type Pair } from '../support/pair.ts';

let pair: Pair;

before(async () => {
  pair = await startPair({ terminal: true, grants: '  ops:\n    tools:\n      auth/sudo-rules: {allowed: true}\n' });
});
after(() => pair.stop());

test('it serves as it does without a terminal', async () => {
  const client = await pair.connect('ops');
  assert.equal((await client.call('auth/sudo-rules', {})).isError, false);
  assert.match(pair.output(), /broker connected/);
});

test('Ctrl-C ends all of it, quietly', async () => {
  const pids = [...pair.pids('steward-broker'), ...pair.pids('steward-frontend')];
  assert.equal(pids.length, 2);
  const ended = once(pair.launcher, 'exit');
  pair.launcher.stdin?.write('\x03');
  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual(
    pids.filter((pid) => existsSync(`/proc/${pid}/exe`)),
    [],
  );
  // The socket is gone; the key of the next seal is kept.
  assert.deepEqual(readdirSync(pair.stateDir), ['audit-seal']);
  assert.doesNotMatch(pair.output(), /launcher:|error/);
});
