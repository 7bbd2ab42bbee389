/**
 * Reader of server-sent events (WHATWG HTML, section 9.2). Pieces may end anywhere, in a character too; an answer may be many
 * megabytes on one line, so that pieces are joined once and not again with every arrival.
 */
import { unreachable } from '../exit.ts';

export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** Longest line that is kept, in UTF-16 units; a string of Node ends at twice that. */
const MAX_LINE = 256 * 1024 * 1024;

export class EventReader {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #take: (event: ServerEvent) => void;
  #line: string[] = [];
  #length = 0;
  #afterReturn = false;
  #name = '';
  #data: string[] = [];

  constructor(take: (event: ServerEvent) => void) {
    this.#take = take;
  }

  /** Takes bytes of the stream. @throws CliError when a line has no end */
  push(bytes: Uint8Array): void {
    const text = this.#decoder.decode(bytes, { stream: true });
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code !== 10 && code !== 13) continue;
      const second = code === 10 && at === 0 && this.#afterReturn;
      if (!second && !(code === 10 && at > 0 && text.charCodeAt(at - 1) === 13)) {
        this.#keep(text.slice(from, at));
        this.#endLine();
      }
      from = at + 1;
    }
    this.#keep(text.slice(from));
    if (text.length > 0) this.#afterReturn = text.endsWith('\r');
  }

  #keep(piece: string): void {
    if (piece === '') return;
    this.#length += piece.length;
    if (this.#length > MAX_LINE) throw unreachable('the answer is too large for this program');
    this.#line.push(piece);
  }

  #endLine(): void {
    const line = this.#line.join('');
    this.#line = [];
    this.#length = 0;
    if (line === '') {
      this.#endEvent();
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#data.push(value);
  }

  #endEvent(): void {
    if (this.#data.length > 0) this.#take({ name: this.#name || 'message', data: this.#data.join('\n') });
    this.#name = '';
    this.#data = [];
  }
}
