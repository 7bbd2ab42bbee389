/**
 * stewardctl on a real engine: the section about containers of the page "stewardctl by example" as it is printed, names of containers
 * in the shells, and what a container writes on a terminal.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeHome, type Home } from '../support/ctl.ts';
import { engineFixture, skip } from '../support/engine/fixture.ts';
import { examplesOf, judge, runLine } from '../support/examples.ts';
import { eventually } from '../support/pair.ts';
import { inBash, inFish, missing, typedIn } from '../support/shells.ts';
import { shownOnTerminal } from '../support/terminal.ts';

const fixture = engineFixture(async (engine) => {
  await engine.container('web', ['sh', '-c', 'echo serving; while :; do sleep 0.1; done'], { StopTimeout: 1 });
  await engine.container('billing-database', ['true']);
  await engine.container('evil', ['printf', 'evil \\033[31mred \\033]0;owned\\007 \\302\\2332J end\\n']);
  await eventually(async () => (await engine.state('evil')) === 'exited');
});

let made: Home | undefined;
/** With contexts for the pair: it is running when the first test asks. */
function home(): Home {
  if (made !== undefined) return made;
  made = makeHome();
  made.contexts({ host: { pair: fixture.pair, user: 'ops' }, guest: { pair: fixture.pair, user: 'guest' } });
  return made;
}
after(() => made?.remove());

test('the page by example: containers', { skip }, async () => {
  for (const line of examplesOf('Containers', fixture.pair.port))
    judge(await runLine(line, home().directory, home().env), {
      'stewardctl get docker': /\bweb\b/,
      'stewardctl exec': /^l?[rwxd-]{9,}.* busybox$|^d.* bin$/m,
      'stewardctl logs': /^serving$/m,
      'stewardctl inspect': /^KEY +VALUE$/m,
    });
  assert.equal(await fixture.engine.state('web'), 'running');
});

test('names of containers complete in bash and fish', { skip: skip || missing('fish') }, () => {
  assert.deepEqual(inBash(home(), 'stewardctl exec docker bil', 'stewardctl', 'exec', 'docker', 'bil'), ['billing-database']);
  assert.deepEqual(inBash(home(), 'stewardctl logs docker ', 'stewardctl', 'logs', 'docker', '').sort(), [
    'billing-database',
    'evil',
    'web',
  ]);
  assert.deepEqual(inFish(home(), 'stewardctl container docker w'), ['web']);
  const ungranted = ['stewardctl', '--context', 'guest', 'logs', 'docker', ''];
  assert.deepEqual(inBash(home(), ungranted.join(' '), ...ungranted), [], 'only to those who may list them');
});

test('names of containers complete in zsh', { skip: skip || missing('zsh') }, async () => {
  await typedIn('zsh', home(), [['stewardctl exec docker bil', /ling-database/]]);
});

test('what a container has written cannot drive the terminal', { skip }, async () => {
  const words = ['stewardctl', 'logs', 'docker', 'evil'];
  for (const form of [[], ['-o', 'json'], ['-o', 'yaml'], ['-o', 'table']]) {
    const shown = await shownOnTerminal([...words, ...form], { env: { ...home().env, NO_COLOR: '1' } });
    assert.match(shown.text, /evil .*red .*end/s);
    assert.deepEqual(shown.controls, [], JSON.stringify(shown.text));
  }
});
