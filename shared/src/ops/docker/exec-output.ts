/** Output of a command on its way: decoded stream by stream, cut at a limit while it arrives, held only to make pieces of a useful size. */
import type { Piece, StreamName } from '../../engine/streams.ts';
import { MAX_OUTPUT } from './log-reader.ts';

export interface OutputRecord {
  readonly stream: StreamName;
  /** Invalid UTF-8 becomes U+FFFD. */
  readonly text: string;
}

/** Milliseconds that a command which writes more than is kept gets to end by itself, so that its exit code is known. */
const DRAIN_MS = 2000;
/** Characters of one record: a command may write byte by byte. */
const RECORD = 16 * 1024;

type Emit = (record: OutputRecord) => void | Promise<void>;

/** Hands on at most MAX_OUTPUT bytes of both streams together; true when there was more. */
export async function relayOutput(pieces: AsyncIterable<Piece>, emit: Emit): Promise<boolean> {
  const outputs = { stdout: new Output('stdout', emit), stderr: new Output('stderr', emit) };
  let room = MAX_OUTPUT;
  let overSince: number | undefined;
  for await (const { stream, bytes } of pieces) {
    const part = bytes.subarray(0, room);
    room -= part.length;
    if (part.length > 0) await outputs[stream].add(part);
    if (part.length === bytes.length) continue;
    overSince ??= performance.now();
    if (performance.now() - overSince > DRAIN_MS) break;
  }
  const truncated = overSince !== undefined;
  await outputs.stdout.end(truncated);
  await outputs.stderr.end(truncated);
  return truncated;
}

class Output {
  readonly #stream: StreamName;
  readonly #emit: Emit;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #text = '';

  constructor(stream: StreamName, emit: Emit) {
    this.#stream = stream;
    this.#emit = emit;
  }

  async add(bytes: Buffer): Promise<void> {
    this.#text += this.#decoder.decode(bytes, { stream: true });
    if (this.#text.length >= RECORD) await this.#flush();
  }

  /** A character that the cut has split is left out; one that was never finished is shown as what it is. */
  async end(cut: boolean): Promise<void> {
    if (!cut) this.#text += this.#decoder.decode();
    if (this.#text !== '') await this.#flush();
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    await this.#emit({ stream: this.#stream, text });
  }
}
