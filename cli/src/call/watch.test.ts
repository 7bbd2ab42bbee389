/** Watching and progress on a stand-in for a terminal: what is written, and that it is taken away again. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { barAt, underProgress } from './progress.ts';
import { frame, watch, watchSeconds } from './watch.ts';
import { EXIT, interrupted } from '../exit.ts';
import { eventually } from '../testing/eventually.ts';
import type { Io } from '../io.ts';

interface Terminal extends Io {
  readonly written: string[];
  resize(columns: number): void;
}

function terminal(signal: AbortSignal, isTTY = true): Terminal {
  const written: string[] = [];
  let listener: (() => void) | undefined;
  const stdout = { write: (text: string) => written.push(text), isTTY, columns: 20, rows: 4 };
  return {
    written,
    stdin: new PassThrough(),
    stdout,
    stderr: stdout,
    env: {},
    cwd: '/',
    program: '/x',
    signal,
    resized: (added) => {
      listener = added;
      return () => (listener = undefined);
    },
    resize: (columns) => {
      stdout.columns = columns;
      listener?.();
    },
  };
}

test('a picture overwrites the one before, line by line, and never clears first', () => {
  assert.equal(frame('one\ntwo much\nthree\n', 5, 2), '\u001b[?2026h\u001b[Hone\u001b[K\ntwo m\u001b[K\u001b[J\u001b[?2026l');
});

test('watching draws each answer in one write, again after a resize, and restores the screen', async () => {
  const stop = new AbortController();
  const io = terminal(stop.signal);
  let calls = 0;
  const watching = watch('get cpu', 0.1, io, (quiet) => {
    calls += 1;
    assert.equal(quiet.stderr.isTTY, false, 'no progress is drawn into the picture');
    quiet.stdout.write(`answer ${calls} that is longer than the terminal is wide\n`);
    return Promise.resolve(EXIT.done);
  });
  const rejected = assert.rejects(watching, { exit: EXIT.interrupted });
  await eventually(() => io.written.length >= 3);
  io.resize(60);
  const [enter, first, ...rest] = io.written;
  assert.equal(enter, '\u001b[?1049h\u001b[?25l');
  assert.ok(first!.startsWith('\u001b[?2026h\u001b[HEvery 0.1 s: get cpu'), first);
  assert.ok(first!.includes('answer 1 that is lon\u001b[K\u001b[J'), first);
  assert.match(rest.at(-1) ?? '', /answer \d+ that is longer than the terminal is wide/);
  stop.abort(interrupted());
  await rejected;
  assert.equal(io.written.at(-1), '\u001b[?25h\u001b[?1049l');
});

test('without a terminal the answers follow each other; a call that fails ends it', async () => {
  const io = terminal(new AbortController().signal, false);
  let calls = 0;
  const exit = await watch('x', 0.1, io, (quiet) => {
    quiet.stdout.write('text\n');
    return Promise.resolve((calls += 1) < 3 ? EXIT.done : EXIT.failed);
  });
  assert.equal(exit, EXIT.failed);
  assert.deepEqual(io.written, ['text\n', 'text\n']);
});

test('the pause is a number of seconds', () => {
  assert.equal(watchSeconds('0.5'), 0.5);
  assert.equal(watchSeconds(undefined), undefined);
  for (const text of ['0', '-1', 'x', '1e9']) assert.throws(() => watchSeconds(text), /number of seconds/);
});

test('progress is one harmless line that is taken away', async () => {
  const io = terminal(new AbortController().signal);
  const done = await underProgress(io.stderr, async (update) => {
    await eventually(() => io.written.length > 0);
    update?.({ progress: 7, message: 'evil\u001b[31m and long' });
    await eventually(() => io.written.some((line) => line.includes(' 7')));
    return 'done';
  });
  assert.equal(done, 'done');
  const lines = io.written.join('').split('\r\u001b[J');
  assert.equal(lines.at(-1), '', 'the last thing is to clear the line');
  for (const line of lines) assert.ok(line.length < 20 && !line.includes('\u001b'), JSON.stringify(line));
  const silent = terminal(new AbortController().signal, false);
  await underProgress(silent.stderr, (update) => Promise.resolve(assert.equal(update, undefined)));
  assert.deepEqual(silent.written, []);
});

test('the bar goes to and fro within its frame', () => {
  assert.equal(barAt(0), '[===         ]');
  assert.equal(barAt(9), '[         ===]');
  assert.equal(barAt(10), '[        === ]');
  assert.equal(barAt(18), barAt(0));
});
