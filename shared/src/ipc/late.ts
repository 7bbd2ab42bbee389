/**
 * Frames that were on their way when their stream ended: bytes that may still come, or still be granted, by the stream's id. They
 * are no breach, and anything beyond them is one.
 */
import { ProtocolError } from './frames.ts';

/** Finished streams whose last frames may still be on their way. */
const REMEMBERED = 1024;

/** Notes what may still come for a stream that is over; the oldest is forgotten. */
export function remember(late: Map<number, number>, id: number, bytes: number): void {
  late.set(id, bytes);
  if (late.size <= REMEMBERED) return;
  const oldest = late.keys().next();
  if (oldest.done !== true) late.delete(oldest.value);
}

/** Takes what came late from what may come. Throws ProtocolError when it is more. */
export function spend(late: Map<number, number>, id: number, bytes: number, what: string): void {
  const left = late.get(id);
  if (left === undefined || bytes > left) throw new ProtocolError(`${what} for unknown call ${id}`);
  late.set(id, left - bytes);
}
