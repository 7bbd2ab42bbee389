/** Changes that have begun: they are waited for although their caller is gone or their time is over, but not for ever. */

/** Milliseconds; longer than the 10 s that a container gets to stop, short enough that an engine that hangs holds up no restart. */
const LINGER_MS = 30_000;

/** Runs `work` with a signal that is aborted only a while after `signal` is, for the same reason. */
export async function finishing<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => controller.abort(signal.reason), LINGER_MS);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
