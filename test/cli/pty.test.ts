/** stewardctl on a pseudo-terminal whose other end this test holds: the size changes as a window's does, and the settings are looked at. */
/* eslint-disable no-control-regex -- control characters are what is looked for */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeHome, type Home } from '../support/ctl.ts';
import { eventually, startPair, type Pair } from '../support/pair.ts';

const PATIENCE_MS = 60_000;

// A native module: not there where it could not be compiled.
const nodePty = await import('node-pty').catch(() => undefined);
const skip = nodePty === undefined && 'node-pty is not compiled: make test does it where there are g++ and python3';

let pair: Pair;
let home: Home;
before(async () => {
  pair = await startPair();
  home = makeHome();
  home.contexts({ lab: { pair, user: 'ops' } });
});
after(async () => {
  await pair.stop();
  home.remove();
});

interface Screen {
  output(): string;
  type(text: string): void;
  resize(columns: number, rows: number): void;
  /** Exit status. */
  readonly ended: Promise<number>;
  close(): void;
}

function onPty(program: string, args: readonly string[]): Screen {
  assert.ok(nodePty !== undefined);
  const child = nodePty.spawn(program, [...args], {
    cols: 80,
    rows: 24,
    cwd: home.directory,
    env: { ...home.env, TERM: 'xterm', NO_COLOR: '1' },
  });
  let text = '';
  child.onData((piece) => (text += piece));
  const ended = new Promise<number>((done) => child.onExit(({ exitCode }) => done(exitCode)));
  return {
    output: () => text,
    type: (typed) => child.write(typed),
    resize: (columns, rows) => child.resize(columns, rows),
    ended,
    close: () => {
      try {
        child.kill('SIGKILL');
      } catch {
        // It has ended.
      }
    },
  };
}

test('a window that changes its size gets the next picture in that size, at once', { skip }, async () => {
  const screen = onPty('stewardctl', ['load-average', 'cpu', '--watch', '3600']);
  try {
    await eventually(() => /HEvery 3600 s: load-average cpu .*\x1b\[\?2026l/s.test(screen.output()), PATIENCE_MS);
    const drawn = screen.output().length;
    screen.resize(20, 2);
    await eventually(() => /HEvery 3600 s: load-a\x1b\[K.*\x1b\[\?2026l/s.test(screen.output().slice(drawn)), PATIENCE_MS);
    const picture = /\x1b\[\?2026h.*?\x1b\[\?2026l/s.exec(screen.output().slice(drawn))?.[0] ?? '';
    assert.equal(picture.split('\n').length, 2, 'no more lines than fit');
    screen.resize(100, 30);
    await eventually(() => /Load Average: /.test(screen.output().slice(drawn)), PATIENCE_MS);
    screen.type('\u0003');
    assert.equal(await screen.ended, 130);
    assert.ok(
      screen.output().endsWith('\x1b[?25h\x1b[?1049lstewardctl: interrupted\r\n'),
      JSON.stringify(screen.output().slice(-80)),
    );
  } finally {
    screen.close();
  }
});

test('Ctrl-C while a token is typed leaves the terminal as it was', { skip }, async () => {
  const login = `stewardctl login ${pair.url} other; echo "status $?"; stty -a`;
  const screen = onPty('bash', ['--norc', '-c', login]);
  try {
    await eventually(() => screen.output().includes('Is that the one? [y/N] '), PATIENCE_MS);
    screen.type('y\r');
    await eventually(() => screen.output().includes('Token: '), PATIENCE_MS);
    screen.type('half-a-token');
    screen.type('\u0003');
    await screen.ended;
    assert.equal(screen.output().includes('half-a-token'), false, 'not on the screen');
    assert.match(screen.output(), /status 130/);
    assert.match(screen.output(), / echo /, 'what is typed is shown again');
    assert.match(screen.output(), / icanon /, 'and lines can be edited');
  } finally {
    screen.close();
  }
});
