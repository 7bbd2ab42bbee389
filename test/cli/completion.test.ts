/** The completion scripts in the shells themselves: what a key on a real terminal, or the shell's own completion, comes up with. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import { makeHome, type Home } from '../support/ctl.ts';
import { inBash, inFish, missing, typedIn } from '../support/shells.ts';

let pair: Pair;
let home: Home;
before(async () => {
  pair = await startPair();
  home = makeHome();
  home.contexts({ lab: { pair, user: 'ops' }, other: { pair, user: 'guest' } });
  // From here on the words come from the cache.
  assert.equal((await home.run(['__complete', '--', 'list', ''])).exit, 0);
});
after(async () => {
  await pair.stop();
  home.remove();
});

test('bash completes as readline asks it: verbs, groups, flags, values, words that it has cut', () => {
  const completed = (line: string, ...words: string[]): string[] => inBash(home, line, ...words);
  assert.deepEqual(completed('stewardctl lis', 'stewardctl', 'lis'), ['list']);
  assert.deepEqual(completed('stewardctl load-average ', 'stewardctl', 'load-average', ''), ['cpu']);
  assert.deepEqual(completed('stewardctl list files --output-', 'stewardctl', 'list', 'files', '--output-'), ['--output-format']);
  assert.deepEqual(completed('stewardctl -o y', 'stewardctl', '-o', 'y'), ['yaml']);
  assert.deepEqual(completed('stewardctl --context=o', 'stewardctl', '--context', '=', 'o'), ['other']);
  const cut = completed(
    'stewardctl journal logs --output-format=j',
    'stewardctl',
    'journal',
    'logs',
    '--output-format',
    '=',
    'j',
  );
  assert.deepEqual(cut, ['json']);
  assert.deepEqual(completed('stewardctl resource os://una', 'stewardctl', 'resource', 'os', ':', '//una'), ['//uname']);
  assert.ok(completed('stewardctl interface network ', 'stewardctl', 'interface', 'network', '').includes('lo'));
});

test('bash on a terminal: one key writes the word', async () => {
  await typedIn('bash', home, [
    ['stewardctl load-av', 'load-average '],
    ['c', 'cpu '],
  ]);
});

test('zsh on a terminal: one key writes the word', { skip: missing('zsh') }, async () => {
  await typedIn('zsh', home, [
    ['stewardctl load-av', /average/],
    ['c', /pu/],
  ]);
});

test('fish completes with what each word means', { skip: missing('fish') }, () => {
  const completed = (line: string): string[] => inFish(home, line);
  assert.deepEqual(completed('stewardctl load-av'), ['load-average']);
  assert.match(completed('stewardctl load-average ')[0] ?? '', /^cpu\t/);
  assert.match(completed('stewardctl list files --privi').join(), /^--privileged/);
  assert.deepEqual(completed('stewardctl -o y'), ['yaml']);
  assert.deepEqual(completed('stewardctl context use o'), ['other']);
});

test('from the cache no server is asked', async (t) => {
  const before = pair.output().length;
  const { exit, out } = await home.run(['__complete', '--', 'list', 'files', '--so']);
  assert.equal(exit, 0);
  assert.match(out, /^--sort\t/);
  assert.doesNotMatch(pair.output().slice(before), /tools\/list/);
  const times = [];
  for (let run = 0; run < 5; run += 1) {
    const began = performance.now();
    await home.run(['__complete', '--', 'list', '']);
    times.push(performance.now() - began);
  }
  // Printed, not judged: what a busy machine makes of it says nothing.
  t.diagnostic(`completion from the cache: ${times.sort((a, b) => a - b)[2]?.toFixed(0) ?? ''} ms median of 5, whole process`);
});

test('units and containers are not asked for by anybody who may not see them', { skip: !isRoot && 'needs root' }, async () => {
  const { exit, out } = await home.run(['__complete', '--', 'logs', 'docker', '']);
  assert.deepEqual([exit, out], [0, '']);
});
