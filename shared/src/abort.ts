/** What a stopped call is answered with. */
import { StewardError } from './errors.ts';

/** The reason given to `abort` if it is one of the registry (`timeout`, `shutting_down`), else `cancelled`. */
export function abortError(signal: AbortSignal): StewardError {
  return signal.reason instanceof StewardError ? signal.reason : new StewardError('cancelled');
}

/** Throws when the call has been stopped. */
export function checkAbort(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal);
}
