/** Files and standard input as values of arguments; both must be text, since arguments travel as JSON. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf } from '@steward/shared/errors.ts';
import type { Sources } from '../grammar/convert.ts';
import { usageError } from '../exit.ts';
import { readInput, type Io } from '../io.ts';

export function sourcesOf(io: Io): Sources {
  let used = false;
  return {
    file: (path) => {
      let bytes: Buffer;
      try {
        bytes = readFileSync(resolve(io.cwd, path));
      } catch (error) {
        throw new Error(`cannot read ${path}: ${reasonOf(error)}`, { cause: error });
      }
      try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      } catch {
        throw new Error(`${path} is not UTF-8 text`);
      }
    },
    input: async () => {
      if (used) throw usageError('standard input can be used once only');
      used = true;
      try {
        return await readInput(io.stdin);
      } catch {
        throw usageError('standard input is not UTF-8 text');
      }
    },
  };
}
