/**
 * Connections on which nobody has shown a good token yet. Anybody can open them, so there are only so many: a new one takes the
 * place of the oldest. Whoever has been recognised is none of them any more.
 */
import type { Socket } from 'node:net';
import { TransientMap } from '@steward/shared/transient-map.ts';

/** Each costs some fifty kilobytes once it speaks TLS. */
const MAX_STRANGERS = 1024;

/** What names a connection, on the socket itself and on the TLS socket above it. */
type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>;

export class Strangers {
  readonly #limit: number;
  /** In the order in which they came. */
  readonly #sockets = new TransientMap<string, Socket>();

  constructor(limit = MAX_STRANGERS) {
    this.#limit = limit;
  }

  /** Takes a fresh connection, and closes the oldest when there are too many. */
  add(socket: Socket): void {
    const key = keyOf(socket);
    this.#sockets.set(key, socket);
    socket.once('close', () => {
      if (this.#sockets.get(key) === socket) this.#sockets.delete(key);
    });
    if (this.#sockets.size <= this.#limit) return;
    for (const [oldest, stranger] of this.#sockets) {
      this.#sockets.delete(oldest);
      stranger.destroy();
      return;
    }
  }

  /** It is known who is at the other end. Gives the connection as it was taken, unless it was no stranger's any more. */
  recognise(connection: Ends): Socket | undefined {
    if (this.#sockets.size === 0) return undefined; // as a rule: asked for every request
    const key = keyOf(connection);
    const socket = this.#sockets.get(key);
    this.#sockets.delete(key);
    return socket;
  }
}

function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Ends): string {
  return `${remoteAddress ?? ''} ${remotePort ?? 0} ${localAddress ?? ''} ${localPort ?? 0}`;
}
