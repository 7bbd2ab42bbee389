/**
 * A socket that puts what it reads into one buffer, used again for every read. An ordinary one takes new memory of 64 KiB for each and
 * hands it on through the machinery of streams, which costs more than the rest of a small message. What the buffer holds is good until
 * the next read, so whoever keeps something copies it.
 */
import { Socket, type SocketConstructorOpts } from 'node:net';

/** Bytes read at once at most. */
const INBOX_BYTES = 64 * 1024;

export class InboxSocket extends Socket {
  /** Takes what was read. To be set at once: without it nothing is kept. */
  receive: ((bytes: Buffer) => void) | undefined;

  /** A connection that is there already (`fd`), or one to be made with `connect`. There are no `data` events. */
  constructor(options: SocketConstructorOpts = {}) {
    const callback = (size: number, buffer: Uint8Array): boolean => {
      this.receive?.((buffer as Buffer).subarray(0, size));
      return true; // whoever wants no more pauses the socket
    };
    super({ ...options, onread: { buffer: Buffer.allocUnsafeSlow(INBOX_BYTES), callback } });
  }
}
