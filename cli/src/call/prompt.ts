/**
 * Questions to the person at the terminal. They go to standard error, so that an answer in a pipe is not mixed with them, and a
 * secret is not shown while it is typed.
 */
import { interrupted, usageError } from '../exit.ts';
import { readInput, type Io } from '../io.ts';

/** Whether there is somebody to ask. */
export function isInteractive(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** Asks for yes or no; end of input is no. Rejects with CliError (interrupted) on Ctrl-C. */
export async function askYes(io: Io, question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline');
  // Without `terminal` the terminal stays in line mode, and Ctrl-C stays a signal.
  const reader = createInterface({ input: io.stdin, terminal: false });
  io.stderr.write(`${question} [y/N] `);
  try {
    return await new Promise<boolean>((answered, stopped) => {
      reader.once('line', (line) => answered(/^\s*y(es)?\s*$/i.test(line)));
      reader.once('close', () => answered(false));
      io.signal.addEventListener('abort', () => stopped(interrupted()), { once: true });
    });
  } finally {
    reader.close();
  }
}

/** What the keys of a line that is not shown make of it; undefined while it is not finished. */
export class HiddenLine {
  #text = '';

  /** Takes one piece of input. @throws CliError (interrupted) for Ctrl-C, and at the end of input without a text */
  take(piece: string): string | undefined {
    for (const key of piece) {
      if (key === '\r' || key === '\n') return this.#text;
      if (key === '\u0003' || (key === '\u0004' && this.#text === '')) throw interrupted();
      if (key === '\u0004') return this.#text;
      if (key === '\u0015') this.#text = '';
      else if (key === '\u007f' || key === '\b') this.#text = this.#text.slice(0, -1);
      else this.#text += key;
    }
    return undefined;
  }
}

/** Asks for a line without showing it. Without a terminal it is what standard input holds. */
export async function askSecret(io: Io, question: string): Promise<string> {
  const { stdin } = io;
  if (stdin.isTTY !== true || stdin.setRawMode === undefined) {
    return (await readInput(stdin).catch(() => Promise.reject(usageError('standard input is not text')))).trim();
  }
  io.stderr.write(question);
  stdin.setRawMode(true);
  const line = new HiddenLine();
  try {
    return await new Promise<string>((done, fail) => {
      stdin.on('data', (piece: Buffer | string) => {
        try {
          const text = line.take(piece.toString());
          if (text !== undefined) done(text);
        } catch {
          fail(interrupted());
        }
      });
      stdin.once('end', () => fail(interrupted()));
      // An earlier question has stopped the input.
      stdin.resume();
    });
  } finally {
    stdin.removeAllListeners('data');
    stdin.setRawMode(false);
    stdin.pause();
    io.stderr.write('\n');
  }
}
