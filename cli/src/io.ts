/**
 * What stewardctl needs of the process around it, as one value, so that every command can be run in a test without a process.
 */
import type { Readable } from 'node:stream';

/** Where text goes. `isTTY` decides on escaping and confirmation; `columns` is the width of a terminal. */
export interface Output {
  write(text: string): unknown;
  /** Whether a terminal shows colours and is to: never with NO_COLOR (https://no-color.org). */
  hasColors?(): boolean;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Standard input. A terminal can stop to echo what is typed. */
export type Input = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };

export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working directory, absolute. */
  readonly cwd: string;
  /** The program's own file, absolute: a checkout is also found from there. */
  readonly program: string;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** Asks for yes or no in another way than on the terminal itself: where several calls share one. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** The line is repeated from outside: it runs once, although it says `--watch`. */
  readonly watched?: true;
  /** Calls the listener whenever the terminal has got another size; returns what ends that. */
  resized?(listener: () => void): () => void;
}

const inputs = new WeakMap<Readable, Promise<string>>();

/** Everything of standard input as text: read once, and the same for all who ask. @throws TypeError when it is not UTF-8. */
export function readInput(input: Readable): Promise<string> {
  const known = inputs.get(input) ?? readAll(input);
  inputs.set(input, known);
  return known;
}

async function readAll(input: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of input) pieces.push(typeof piece === 'string' ? Buffer.from(piece) : (piece as Buffer));
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces));
}
