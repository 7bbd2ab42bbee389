/** stewardctl on a real terminal: what is typed unseen, what is asked, what Ctrl-C stops, what is drawn and taken away again. */
/* eslint-disable no-control-regex -- control characters are what is looked for */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually, startPair, type Pair } from '../support/pair.ts';
import { makeHome, type Home } from '../support/ctl.ts';
import { openTerminal, shownOnTerminal, type Terminal } from '../support/terminal.ts';

const GRANTS =
  '  ops:\n    tools:\n      files/create: {allowed: true, paths: [PLACE]}\n      files/list: {allowed: true, paths: [PLACE]}\n';

let pair: Pair;
let home: Home;
/** Has its own home, so that one test's contexts are not another's. */
let fresh: Home;
before(async () => {
  home = makeHome();
  fresh = makeHome();
  pair = await startPair({
    grants: GRANTS.replaceAll('PLACE', home.directory),
    daemon: 'tools:\n  files/find: {timeout_seconds: 120}\n',
  });
  home.contexts({ lab: { pair, user: 'ops' } });
});
after(async () => {
  await pair.stop();
  home.remove();
  fresh.remove();
});

async function onTerminal(
  words: readonly string[],
  work: (terminal: Terminal) => Promise<void>,
  { env, directory }: Home = home,
  colours: Readonly<Record<string, string>> = { NO_COLOR: '1' },
): Promise<void> {
  const terminal = openTerminal(['stewardctl', ...words], { env: { ...env, ...colours }, cwd: directory });
  try {
    await work(terminal);
  } finally {
    await terminal.close();
  }
}

test('login shows the certificate, asks for the token without showing it, and stores both', async () => {
  const token = pair.token('ops');
  const { fingerprint256 } = new X509Certificate(pair.ca);
  await onTerminal(
    ['login', pair.url, 'lab'],
    async (terminal) => {
      await terminal.shows(fingerprint256);
      await terminal.shows('Is that the one? [y/N] ');
      terminal.type('y\n');
      await terminal.shows('Token: ');
      terminal.type(token);
      for (const pid of terminal.pids()) assert.equal(readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(token), false);
      terminal.type('\r');
      await terminal.shows(/Logged in as ops: context lab in /);
      assert.equal(await terminal.ended, 0);
      assert.equal(terminal.output().includes(token), false, 'the token is not on the screen');
    },
    fresh,
  );
  const stored = join(fresh.directory, '.config/steward/tokens/lab');
  assert.equal(readFileSync(stored, 'utf8').trim(), token);
  for (const path of [stored, join(fresh.directory, '.config/steward/config.yaml')])
    assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.match((await fresh.run(['whoami'])).out, /^User: +ops$/m);
});

test('a login that is not confirmed, or with a wrong token, stores nothing', async () => {
  const path = join(home.directory, '.config/steward/tokens');
  await onTerminal(['login', pair.url, 'other'], async (terminal) => {
    await terminal.shows('Is that the one? [y/N] ');
    terminal.type('\n');
    await terminal.shows('stewardctl: not logged in');
    assert.equal(await terminal.ended, 1);
  });
  const { fingerprint256 } = new X509Certificate(pair.ca);
  const wrong = await home.run(['login', pair.url, 'other', '--fingerprint', fingerprint256], { input: `${'f'.repeat(64)}\n` });
  assert.equal(wrong.exit, 4, wrong.err);
  const elsewhere = await home.run(['login', pair.url, 'other', '--fingerprint', '0'.repeat(64)], { input: 'x\n' });
  assert.equal(elsewhere.exit, 3, elsewhere.err);
  assert.equal(existsSync(path), false);
});

test('a destructive call shows its dry run and waits for a yes', async () => {
  const file = join(home.directory, 'made');
  const words = ['create', 'files', file, '--content', 'x', '--privileged'];
  await onTerminal(words, async (terminal) => {
    await terminal.shows(/Dry run: would create .*\r\nDo it\? \[y\/N\] /s);
    terminal.type('n\n');
    assert.equal(await terminal.ended, 1);
    assert.equal(existsSync(file), false);
  });
  await onTerminal(words, async (terminal) => {
    await terminal.shows('Do it? [y/N] ');
    terminal.type('y\n');
    assert.equal(await terminal.ended, 0);
    assert.equal(readFileSync(file, 'utf8'), 'x');
  });
});

test('names of files and lines of text cannot drive the terminal', async () => {
  writeFileSync(join(home.directory, 'evil\x1b]0;owned\u0007\u009b31m'), 'line \x1b[2J\n');
  for (const words of [
    ['list', 'files', home.directory, '-p'],
    ['list', 'files', home.directory, '-p', '-o', 'table'],
    ['list', 'files', home.directory, '-p', '-o', 'json'],
    ['get', 'files', join(home.directory, 'evil\x1b]0;owned\u0007\u009b31m')],
  ]) {
    const { text, controls } = await shownOnTerminal(['stewardctl', ...words], { env: { ...home.env, NO_COLOR: '1' } });
    assert.match(text, /evil/);
    assert.deepEqual(controls, [], JSON.stringify(text));
  }
});

test('titles and errors are coloured on a terminal that shows colours, and never with NO_COLOR', async () => {
  const outputOf = async (words: string[], colours: Record<string, string>): Promise<string> => {
    let output = '';
    await onTerminal(
      words,
      async (terminal) => {
        await terminal.ended;
        output = terminal.output();
      },
      home,
      { TERM: 'xterm-256color', ...colours },
    );
    return output;
  };
  assert.match(await outputOf(['context', 'list'], {}), /^\x1b\[1mCURRENT {2}NAME {2}SERVER\x1b\[0m\r\n/);
  assert.match(await outputOf(['context', 'list'], { NO_COLOR: '1' }), /^CURRENT {2}NAME {2}SERVER\r\n/);
  assert.match(await outputOf(['context', 'use', 'x'], {}), /^\x1b\[31mstewardctl:\x1b\[0m no context/);
  assert.match(await outputOf(['context', 'use', 'x'], { TERM: 'dumb' }), /^stewardctl: no context/);
});

test('progress appears and goes away, and Ctrl-C stops the work on the server', async () => {
  // Somebody who takes a request and never answers it: the daemon waits for as long as it is let.
  let taken = 0;
  let givenUp = 0;
  const silent = createServer((request) => {
    taken += 1;
    request.once('close', () => (givenUp += 1));
  });
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const { port } = silent.address() as AddressInfo;
  try {
    await onTerminal(['curl', 'network', `http://127.0.0.1:${port}/`, '--yes'], async (terminal) => {
      await eventually(() => taken === 1, 60_000);
      const seen = await terminal.shows(/\r\x1b\[J\[[ =]{12}\] \d+ s/);
      await terminal.resize(12, 10);
      // Drawn again, and no longer than the terminal is wide.
      await terminal.shows(/\r\x1b\[J\[[ =]{10}\r/, seen);
      assert.equal(givenUp, 0);
      terminal.type('\u0003');
      assert.equal(await terminal.ended, 130);
      const last = terminal.output().split('\r\x1b[J').at(-1) ?? '';
      assert.match(last, /^stewardctl: interrupted\r\n$/, 'nothing of the bar is left');
      await eventually(() => givenUp === 1, 60_000);
    });
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});

test('watching draws over the same place, again after a resize, and gives the screen back', async () => {
  await onTerminal(['load-average', 'cpu', '--watch', '0.2'], async (terminal) => {
    const first = await terminal.shows(/\x1b\[\?1049h\x1b\[\?25l\x1b\[\?2026h\x1b\[HEvery 0\.2 s: load-average cpu/);
    const second = await terminal.shows(/\x1b\[\?2026h\x1b\[HEvery/, first);
    const drawn = terminal.output().slice(first, second);
    assert.equal(drawn.includes('\x1b[2J') || drawn.includes('\x1bc'), false, 'the screen is never cleared first');
    await terminal.resize(20, 10);
    await terminal.shows(/HEvery 0\.2 s: load-av\x1b\[K/, second);
    terminal.type('\u0003');
    assert.equal(await terminal.ended, 130);
    assert.ok(terminal.output().includes('\x1b[?25h\x1b[?1049l'));
  });
});
