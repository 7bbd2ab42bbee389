/**
 * Where the token comes from: a file, the environment or a command of the user's own, never the command line, which every
 * account of the host can read.
 */
import { readFileSync } from 'node:fs';
import { reasonOf } from '@steward/shared/errors.ts';
import { CliError, EXIT } from '../exit.ts';

function unusable(message: string): Error {
  return new CliError(EXIT.unauthenticated, message);
}

/** The token in a text: one line of visible ASCII, which is what a header can carry. */
export function tokenIn(text: string, source: string): string {
  const token = text.trim();
  if (token === '') throw unusable(`${source} holds no token`);
  if (!/^[\x21-\x7e]+$/.test(token)) throw unusable(`${source} does not hold a single token`);
  return token;
}

/** @throws CliError (not authenticated) when the file cannot be read or holds no token */
export function tokenFromFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw unusable(`cannot read the token file ${path}: ${reasonOf(error)}`);
  }
  return tokenIn(text, path);
}

/** Runs the user's command for a token, without a shell; its standard error stays visible. */
export async function tokenFromCommand(command: string | readonly string[]): Promise<string> {
  const [program, ...rest] = typeof command === 'string' ? command.trim().split(/\s+/) : command;
  if (program === undefined || program === '') throw unusable('token_command is empty');
  const { spawnSync } = await import('node:child_process');
  const { status, stdout, error } = spawnSync(program, rest, { stdio: ['inherit', 'pipe', 'inherit'], encoding: 'utf8' });
  if (error !== undefined) throw unusable(`cannot run the token command ${program}: ${reasonOf(error)}`);
  if (status !== 0) throw unusable(`the token command ${program} failed with status ${status ?? 'unknown'}`);
  return tokenIn(stdout, `the answer of ${program}`);
}
