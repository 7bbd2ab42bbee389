/**
 * The first bytes of a connection to the TLS port. TLS is handed on; plain HTTP is told so and closed; anything else is closed.
 * Trusted with bytes from anybody: it holds at most a few kilobytes of them, for a few seconds.
 */
import type { Socket } from 'node:net';
import { hangUp } from './hang-up.ts';

/** Content type of a TLS record that begins a handshake (RFC 8446 section 5.1). */
const TLS_HANDSHAKE = 0x16;
/** How long a client may take to say what it is, or to finish a plain request. */
export const HELLO_MS = 10_000;
/** What a plain request may be long before it is answered unread. */
const MAX_PLAIN_BYTES = 8192;
/** Less than the first block of the TLS layer, in bytes. */
const PIECE = 1000;

const BODY = 'Client sent an HTTP request to an HTTPS server.';
const ANSWER =
  `HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${BODY.length}\r\n` +
  `Connection: close\r\n\r\n${BODY}`;
const METHOD = /^[A-Z]{1,16}( |$)/;

export interface Sniffed {
  /** The connection speaks TLS; what was read has been put back. */
  tls(socket: Socket): void;
  /** A plain request was answered. */
  plain?(socket: Socket): void;
}

/** Looks at the beginning of a fresh connection. `helloMs` is for tests. */
export function sniff(socket: Socket, to: Sniffed, helloMs = HELLO_MS): void {
  let seen = '';
  const give = (): void => void socket.destroy();
  const late = setTimeout(() => (METHOD.test(seen) ? tell() : give()), helloMs);
  const stop = (): void => {
    clearTimeout(late);
    socket.off('readable', read);
    socket.off('end', ended);
    socket.off('error', give);
    socket.off('close', stop);
  };
  const tell = (): void => {
    stop();
    to.plain?.(socket);
    hangUp(socket, ANSWER);
  };
  const ended = (): void => (METHOD.test(seen) ? tell() : give());
  const read = (): void => {
    const bytes = socket.read() as Buffer | null;
    if (bytes === null) return;
    if (seen === '' && bytes[0] === TLS_HANDSHAKE) {
      stop();
      socket.unshift(bytes);
      readByPieces(socket);
      to.tls(socket);
      return;
    }
    seen += bytes.toString('latin1', 0, MAX_PLAIN_BYTES);
    if (!METHOD.test(seen)) give();
    else if (/\r?\n\r?\n/.test(seen) || seen.length >= MAX_PLAIN_BYTES) tell();
  };
  socket.on('readable', read);
  socket.on('end', ended);
  socket.on('error', give);
  socket.on('close', stop);
}

/**
 * The TLS layer keeps what it was handed first for as long as the connection lives. Handed a whole hello (some 1,600 bytes with
 * post-quantum keys) it takes a block of that size, finds it full and takes one of 16 KiB behind it; in pieces of less than 1 KiB it
 * stays with one block of 1 KiB until the client says more than that at once.
 */
function readByPieces(socket: Socket): void {
  const whole = socket.read.bind(socket);
  socket.read = (size) => whole(size ?? (socket.readableLength > PIECE ? PIECE : undefined)) as unknown;
}
