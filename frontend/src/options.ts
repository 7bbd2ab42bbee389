/** The command line. It is written by the launcher or the unit, never by a client. */
import { parseArgs } from 'node:util';

export interface Options {
  /** Path of the broker's socket. */
  readonly socket: string;
  /** Entry file of worker threads; default: the bundle beside this one. */
  readonly worker: string | undefined;
  /** Listen here instead of where the configuration says. */
  readonly listen: readonly string[];
  /** End when standard input ends: whoever started this process is gone. */
  readonly exitWithStdin: boolean;
}

export const USAGE = 'usage: frontend --socket PATH [--worker PATH] [--listen ADDRESS:PORT]... [--exit-with-stdin]';

/** Throws TypeError with a reason for a command line that cannot be used. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      socket: { type: 'string' },
      worker: { type: 'string' },
      listen: { type: 'string', multiple: true },
      'exit-with-stdin': { type: 'boolean' },
    },
  });
  if (values.socket === undefined || values.socket === '') throw new TypeError('--socket is required');
  const { socket, worker, listen = [] } = values;
  return { socket, worker, listen, exitWithStdin: values['exit-with-stdin'] === true };
}
