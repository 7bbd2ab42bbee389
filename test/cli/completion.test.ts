/** The completion scripts in the shells themselves: what a key on a real terminal, or the shell's own completion, comes up with. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import { makeHome, type Home } from '../support/ctl.ts';
import { openTerminal } from '../support/terminal.ts';

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

const missing = (program: string): string | false =>
  spawnSync(program, ['-c', 'true']).error === undefined ? false : `${program} is not installed`;

test('bash completes as readline asks it: verbs, groups, flags, values, words that it has cut', () => {
  const completed = (line: string, ...words: string[]): string[] => {
    const script = [
      'source <(stewardctl completion bash)',
      'COMP_LINE=$1 COMP_POINT=${#1}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))',
      '_stewardctl; printf "%s\\n" "${COMPREPLY[@]}"',
    ].join('\n');
    const out = execFileSync('bash', ['--norc', '-c', script, 'bash', line, ...words], { env: home.env, encoding: 'utf8' });
    return out.split('\n').filter((word) => word !== '');
  };
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
  const shell = openTerminal(['bash', '--norc', '--noprofile', '-i'], { env: { ...home.env, PS1: '$ ' } });
  try {
    shell.type('source <(stewardctl completion bash); echo ready-$((40+2))\n');
    const ready = await shell.shows('ready-42');
    shell.type('stewardctl load-av\t');
    const verb = await shell.shows('load-average ', ready);
    shell.type('c\t');
    await shell.shows('cpu ', verb);
  } finally {
    await shell.close();
  }
});

test('zsh on a terminal: one key writes the word', { skip: missing('zsh') }, async () => {
  const shell = openTerminal(['zsh', '-f', '-i'], { env: { ...home.env, PS1: '$ ' } });
  try {
    shell.type('autoload -Uz compinit && compinit -u -D; source <(stewardctl completion zsh); echo ready-$((40+2))\n');
    const ready = await shell.shows('ready-42');
    shell.type('stewardctl load-av\t');
    const verb = await shell.shows(/average/, ready);
    shell.type('c\t');
    await shell.shows(/pu/, verb);
  } finally {
    await shell.close();
  }
});

test('fish completes with what each word means', { skip: missing('fish') }, () => {
  const completed = (line: string): string[] =>
    execFileSync('fish', ['--no-config', '-c', 'stewardctl completion fish | source; complete -C "$argv[1]"', line], {
      env: home.env,
      encoding: 'utf8',
    })
      .split('\n')
      .filter((word) => word !== '');
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
