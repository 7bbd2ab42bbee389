/**
 * Repeats a call that only reads, and draws what it prints over what it printed before. Lines are overwritten and not cleared
 * first, in one write, so that nothing flickers; what the terminal showed before comes back at the end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, usageError } from '../exit.ts';
import type { Io, Output } from '../io.ts';
import { cutTo } from '../render/width.ts';

/** xterm control sequences: alternate screen and cursor; begin and end of a synchronized update, which others ignore. */
const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const [HOLD, SHOW] = ['\u001b[?2026h', '\u001b[?2026l'];
const HOME = '\u001b[H';
const END_OF_LINE = '\u001b[K';
const END_OF_SCREEN = '\u001b[J';

const LEAST_SECONDS = 0.1;

/** One picture: as many lines and columns as fit, each clearing what was behind it. */
export function frame(text: string, columns: number, rows: number): string {
  const lines = text.replace(/\n$/, '').split('\n').slice(0, rows);
  const cut = lines.map((line) => cutTo(line.replaceAll('\t', '        '), columns) + END_OF_LINE);
  return HOLD + HOME + cut.join('\n') + END_OF_SCREEN + SHOW;
}

/** Seconds between two calls, from what `--watch` was given; undefined without it. @throws CliError (usage) for what is no such number */
export function watchSeconds(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (!(seconds >= LEAST_SECONDS && seconds <= 86_400)) {
    throw usageError(`--watch must be a number of seconds from ${LEAST_SECONDS} to 86400, got "${given}"`);
  }
  return seconds;
}

/** An output that keeps what is written, and is a terminal if the real one is. */
function keeping(out: Output): Output & { take(): string } {
  let text = '';
  return {
    write: (piece) => (text += piece),
    take: () => {
      const kept = text;
      text = '';
      return kept;
    },
    get isTTY() {
      return out.isTTY === true;
    },
    get columns() {
      return out.columns ?? 80;
    },
  };
}

/**
 * Calls until Ctrl-C or the first call that fails. Resolves to the exit code of that call; rejects as it does.
 *
 * @param title the first line of each picture
 * @param call makes one call, which prints to what it is given
 */
export async function watch(title: string, seconds: number, io: Io, call: (io: Io) => Promise<number>): Promise<number> {
  const kept = keeping(io.stdout);
  // Progress would be drawn into the picture.
  const quiet: Io = {
    ...io,
    stdin: io.stdin,
    watched: true,
    stdout: kept,
    stderr: { write: (text) => io.stderr.write(text), isTTY: false },
  };
  const isTerminal = io.stdout.isTTY === true;
  let shown = '';
  const draw = (): void => {
    io.stdout.write(frame(shown, io.stdout.columns ?? 80, io.stdout.rows ?? 24));
  };
  const stopListening = isTerminal ? io.resized?.(draw) : undefined;
  if (isTerminal) io.stdout.write(ENTER);
  try {
    for (;;) {
      const exit = await call(quiet);
      const text = kept.take();
      if (exit !== EXIT.done) return exit;
      shown = `Every ${seconds} s: ${title}   ${new Date().toTimeString().slice(0, 8)}\n\n${text}`;
      if (isTerminal) draw();
      else io.stdout.write(text);
      await sleep(seconds * 1000, undefined, { signal: io.signal }).catch(() => io.signal.throwIfAborted());
    }
  } finally {
    stopListening?.();
    if (isTerminal) io.stdout.write(LEAVE);
  }
}
