/** The signals that may be sent, and how callers may write them. Pure. */
import { StewardError } from '../errors.ts';

export const SIGNALS = [
  'SIGTERM',
  'SIGKILL',
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGSTOP',
  'SIGCONT',
  'SIGABRT',
] as const;
export type Signal = (typeof SIGNALS)[number];

/** `kill`, `KILL` and `SIGKILL` are the same; numbers are none. Throws `signal_invalid`. */
export function parseSignal(written: string): Signal {
  const name = written.toUpperCase();
  const found = SIGNALS.find((signal) => signal === name || signal === `SIG${name}`);
  if (found === undefined) throw new StewardError('signal_invalid', { signal: written, allowed: SIGNALS.join(', ') });
  return found;
}
