/**
 * Takes an upload whole before anybody acts on it, so that its size and hash are known first and a client that breaks off leaves
 * nothing half done. It trusts the stream with nothing: what was announced is what comes, or the connection ends.
 */
import { createHash } from 'node:crypto';
import { Spool } from '../host/spool.ts';
import type { Upload } from '../ops/operation.ts';
import { ProtocolError } from './frames.ts';
import type { IncomingStream } from './streams.ts';

export interface SpooledUpload extends Upload {
  close(): void;
}

/** Takes a whole upload. Rejects with ProtocolError when it is not as long as it was said to be. */
export async function spoolUpload(incoming: IncomingStream, announced: number): Promise<SpooledUpload> {
  const spool = new Spool();
  const hash = createHash('sha256');
  try {
    const check = (good: boolean): void => {
      if (!good) throw new ProtocolError(`upload of ${spool.size} bytes, announced were ${announced}`);
    };
    await incoming.drain(async (bytes) => {
      hash.update(bytes);
      await spool.append(bytes);
      check(spool.size <= announced);
    });
    check(spool.size === announced);
  } catch (error) {
    spool.close();
    throw error;
  }
  return { size: spool.size, sha256: hash.digest('hex'), chunks: () => spool.chunks(), close: () => spool.close() };
}
