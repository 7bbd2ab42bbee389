/**
 * What a pair's daemons say, in a file: through a pipe each line would wake this process, whose calls are timed where it is a
 * benchmark.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface OutputFile {
  /** To be the standard output and error of the launcher. */
  readonly fd: number;
  /** All that was said so far; after `close`, until then. */
  text(): string;
  /** Before the directory is removed. Safe to call twice. */
  close(): void;
}

export function outputFile(directory: string): OutputFile {
  const path = join(directory, 'output');
  const fd = openSync(path, 'a', 0o600);
  let last: string | undefined;
  return {
    fd,
    text: () => last ?? readFileSync(path, 'utf8'),
    close: () => {
      if (last !== undefined) return;
      last = readFileSync(path, 'utf8');
      closeSync(fd);
    },
  };
}
