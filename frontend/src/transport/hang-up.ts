/**
 * The last words on a connection that no request can be served on. Trusted with bytes from anybody: what still comes is read for a
 * moment and thrown away, because a connection that is closed with something unread is reset, and a reset overtakes the answer.
 */
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long what still comes is read, in milliseconds. */
const LINGER_MS = 1000;

/** Sends `answer`, says that nothing more follows, and closes when the other side has closed or a moment has passed. */
export function hangUp(socket: Duplex, answer: string): void {
  socket.on('error', () => socket.destroy());
  socket.removeAllListeners('data').on('data', () => undefined);
  socket.end(answer);
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.on('close', () => clearTimeout(linger));
}

/** What the parser's errors mean to the client (Node's errors of HTTP); anything else is a bad request. */
const STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Bytes that are no request, or none that ends: answered where no answer has begun, and closed. */
export function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (socket.writableEnded) return; // more of what was refused already
  // Node keeps the response under way here, and asks it the same before its own answer
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null };
  if (!socket.writable || response?.headersSent === true) return void socket.destroy();
  const status = STATUS[error.code ?? ''] ?? 400;
  hangUp(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n\r\n`);
}
