/** Work under a time limit, and the signal that says when it is over. */
import { StewardError } from '@steward/shared/errors.ts';

/** How long an operation that was told to stop is waited for: a change that has begun is finished first. */
const SETTLE_MS = 5_000;

/**
 * Runs `work` under a time limit and the caller's own signal. Rejects with the reason (`timeout`, or what the caller's signal
 * says) when the work was stopped; work that ends well although it was told to stop counts as done.
 */
export async function underDeadline<T>(
  seconds: number,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  const stopped = Promise.withResolvers<never>();
  let settle: NodeJS.Timeout | undefined;
  const stop = (reason: unknown): void => {
    settle ??= setTimeout(() => stopped.reject(signal.reason), SETTLE_MS);
    controller.abort(reason);
  };
  const timer = setTimeout(() => stop(new StewardError('timeout', { seconds })), seconds * 1000);
  const aborted = (): void => stop(caller.reason);
  if (caller.aborted) aborted();
  else caller.addEventListener('abort', aborted, { once: true });
  try {
    return await Promise.race([work(signal), stopped.promise]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    clearTimeout(settle);
    caller.removeEventListener('abort', aborted);
  }
}
