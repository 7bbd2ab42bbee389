/**
 * Runs the commands of the host administration: finds the command, reads its options, reloads the daemon after a change. The commands
 * themselves are loaded when a line is about one of them: calls of tools are most of what is typed, and need none of it.
 */
import { existsSync } from 'node:fs';
import { reloadDaemon } from './reload.ts';
import type { OwnCall } from './own.ts';
import { findConfigDir } from '../context/config-dir.ts';
import { CliError, EXIT, usageError } from '../exit.ts';
import type { HostCommand } from '../host/command.ts';
import { commandHelp } from '../manual/help.ts';
import { entryOfHost, hostOptions } from '../manual/entry.ts';
import { findOption, unknownFlag } from '../options.ts';
import { readToken, takeOption, takeValue } from '../line.ts';

/** The first words of all commands of the host administration, and what they are about. */
export const HOST_WORDS: Readonly<Record<string, string>> = {
  users: 'Users of the daemon and their tokens',
  grants: 'What users may do as root',
  config: 'Check and edit the configuration',
  cert: 'Show and renew the certificate',
  allowlist: 'Print what the broker can be asked to do as root',
  audit: 'Read, follow and verify the audit log',
  verify: 'Test the installed pair',
};

export function isHostWord(word: string): boolean {
  return Object.hasOwn(HOST_WORDS, word);
}

/** All commands that begin with a word. */
export async function hostCommandsOf(word: string): Promise<readonly HostCommand[]> {
  if (!isHostWord(word)) return [];
  const { hostCommands } = await import('../host/index.ts');
  return hostCommands.filter((command) => command.path[0] === word);
}

/** The command that a line begins with. */
export async function findHostCommand(line: readonly string[]): Promise<HostCommand | undefined> {
  const commands = await hostCommandsOf(line[0] ?? '');
  return commands.find((command) => command.path.every((word, at) => line[at] === word));
}

interface HostLine {
  readonly positional: string[];
  readonly options: Map<string, string[]>;
}

/** Reads options and words of one command; `--help` is left in the flags of the call. */
function readLine(command: HostCommand, call: OwnCall): HostLine {
  const known = hostOptions(command);
  const read: HostLine = { positional: [], options: new Map() };
  const words = [...call.words];
  for (let text = words.shift(); text !== undefined; text = words.shift()) {
    const token = readToken(text);
    const option = known.find(({ name, short }) => token.name === (token.kind === 'long' ? name : short));
    if (token.kind === 'end') read.positional.push(...words.splice(0));
    else if (token.kind === 'word') read.positional.push(text);
    else if (option !== undefined) {
      if (option.value === undefined && token.value !== undefined) throw usageError(`--${option.name} takes no value`);
      const value = option.value === undefined ? 'true' : takeValue(words, `--${option.name}`, token);
      const before = read.options.get(option.name);
      if (before !== undefined && option.repeat !== true) throw usageError(`--${option.name} is given twice`);
      read.options.set(option.name, [...(before ?? []), value]);
    } else if (token.name !== 'help' && token.name !== 'h') {
      throw unknownFlag(
        text,
        known.map((candidate) => candidate.name),
        command.path.join(' '),
      );
    } else takeOption(words, token, call.flags);
  }
  return read;
}

/** Runs one command. Resolves to its exit code. */
export async function runHost(command: HostCommand, call: OwnCall): Promise<number> {
  const { positional, options } = readLine(command, call);
  if (call.flags.has('help')) {
    call.io.stdout.write(commandHelp(entryOfHost(command)));
    return EXIT.done;
  }
  const foreign = [...call.flags.keys()].find((name) => findOption(name)?.scope === 'call');
  if (foreign !== undefined) throw usageError(`${command.path.join(' ')} takes no --${foreign}`);
  const configDir = findConfigDir(call.flags, call.io);
  const { stdout: out, stderr: err, signal } = call.io;
  let exit: number;
  try {
    exit = await command.run({ positional, options, configDir, out, err, signal });
  } catch (error) {
    throw error instanceof CliError || existsSync(configDir) ? error : noConfiguration(configDir);
  }
  if (exit === EXIT.done && command.changes === true && !options.has('no-reload')) await reloadAfter(call);
  return exit;
}

/** Most often the host is another one, or the directory has another name. */
function noConfiguration(configDir: string): CliError {
  const next = 'give --config-dir or STEWARD_CONFIG_DIR, or run this on the host of the daemon';
  return new CliError(EXIT.failed, `there is no configuration in ${configDir}: ${next}`);
}

/** The change is made already: a daemon that is not running, or cannot be told, is worth a line and no failure. */
async function reloadAfter(call: OwnCall): Promise<void> {
  try {
    await reloadDaemon(call);
  } catch (error) {
    call.io.stderr.write(`stewardctl: not reloaded: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
