/**
 * From a command line to an exit code: stewardctl's own commands, host administration, and calls by verb and group.
 *
 * A command of stewardctl itself gives way when the next word is a group in which the server has that verb, so that nothing
 * the server offers is out of reach.
 */
import { Client } from './client/client.ts';
import { callTool, readEntry } from './call/call.ts';
import { explainEntry } from './commands/explain.ts';
import { findHostCommand, isHostGroup, runHost } from './commands/host.ts';
import { OWN_COMMANDS } from './commands/index.ts';
import type { OwnCall, OwnCommand } from './commands/own.ts';
import { CliError, EXIT, usageError } from './exit.ts';
import type { Entry } from './grammar/entry.ts';
import { parseArguments } from './grammar/parse.ts';
import { hostCommands } from './host/index.ts';
import { takeConnection, takeWord } from './line.ts';
import { manual } from './manual/all.ts';
import { entryOfHost, entryOfOwn } from './manual/entry.ts';
import { commandHelp, helpText } from './manual/help.ts';
import { hint, nearest } from './nearest.ts';
import { oneLine } from './safety.ts';
import { VERSION } from './version.ts';
import type { Io } from './io.ts';
import type { Flags } from './options.ts';

/** The error for a verb and group that nothing has, naming what is near. */
async function unknownCommand(client: Client, verb: string, group: string | undefined): Promise<Error> {
  const entries = await client.entries();
  if (group === undefined) {
    const groups = [...new Set(entries.filter((entry) => entry.verb === verb).map((entry) => entry.group))];
    if (groups.length > 0) return usageError(`${verb} what? ${groups.map((word) => `${verb} ${word}`).join(', ')}`);
    const words = [
      ...OWN_COMMANDS.filter((command) => command.hidden !== true).map((command) => command.name),
      ...hostCommands.map((command) => command.path[0]),
      ...entries.map((entry) => entry.verb),
    ];
    return usageError(`unknown command "${verb}"${hint(verb, words)}`);
  }
  const verbs = entries.filter((entry) => entry.group === group).map((entry) => entry.verb);
  const turned = entries.find((entry) => entry.group === verb && entry.verb === group);
  if (turned !== undefined) return usageError(`the verb comes first: stewardctl ${group} ${verb}`);
  if (verbs.length > 0) {
    const near = nearest(verb, verbs);
    return usageError(
      `group ${group} has no verb "${verb}"${near.length > 0 ? hint(verb, verbs) : ` (it has ${verbs.join(', ')})`}`,
    );
  }
  const groups = entries.map((entry) => entry.group);
  const withVerb = entries.filter((entry) => entry.verb === verb).map((entry) => entry.group);
  return usageError(`unknown group "${group}"${hint(group, withVerb.length > 0 ? withVerb : groups)}`);
}

/** An option taken for stewardctl before the schema was known, and that the schema has too, could mean either. */
function refuseAmbiguous(entry: Entry, taken: ReadonlySet<string>): void {
  const both = entry.arguments.find((argument) => taken.has(argument.name.replaceAll('_', '-')));
  if (both === undefined) return;
  throw usageError(
    `--${both.name} could be meant for stewardctl or for ${entry.name}: put it before the verb, or use stewardctl tool ${entry.name} ${both.name}=...`,
  );
}

async function runEntry(entry: Entry, call: OwnCall, taken: ReadonlySet<string>): Promise<number> {
  refuseAmbiguous(entry, taken);
  const parsed = parseArguments(`${entry.verb} ${entry.group}`, entry.arguments, call.words, call.flags);
  if (parsed.flags.has('help')) {
    call.io.stdout.write(await explainEntry(call.client, entry));
    return EXIT.done;
  }
  if (entry.kind === 'tool') return callTool(call.client, entry, parsed, call.io);
  return readEntry(call.client, entry, parsed, call.io);
}

/** The entry that an own command gives way to: the next word is a group that has such a verb. */
async function entryInstead(verb: string, own: OwnCommand | undefined, call: OwnCall): Promise<Entry | undefined> {
  if (own?.local === true) return undefined;
  try {
    const group = takeWord([...call.words], new Map(call.flags));
    return group === undefined ? undefined : await call.client.find(verb, group);
  } catch (error) {
    // Host administration works without a daemon, and a mistyped word there is no reason to need one.
    if (own === undefined) return undefined;
    throw error;
  }
}

/** Commands of stewardctl itself. Resolves to undefined when the verb is none of them. */
async function runOwn(verb: string, call: OwnCall, taken: ReadonlySet<string>): Promise<number | undefined> {
  const host = findHostCommand([verb, ...call.words]);
  if (host !== undefined) return runHost(host, { ...call, words: call.words.slice(host.path.length - 1) });
  const own = OWN_COMMANDS.find((command) => command.name === verb);
  if (own === undefined && !isHostGroup(verb)) return undefined;
  const entry = await entryInstead(verb, own, call);
  if (entry !== undefined) {
    const words = [...call.words];
    takeWord(words, call.flags);
    return runEntry(entry, { ...call, words }, taken);
  }
  if (own === undefined) return hostUsage(verb, call);
  const wantsHelp = call.flags.has('help') || call.words.some((word) => word === '--help' || word === '-h');
  if (!wantsHelp || own.explains === true) return own.run(call);
  call.io.stdout.write(commandHelp(entryOfOwn(own)));
  return EXIT.done;
}

/** What a group of host commands holds, when none of them was named. */
function hostUsage(group: string, call: OwnCall): number {
  const commands = hostCommands.filter((command) => command.path[0] === group);
  if (call.words.length > 0 && !['--help', '-h'].includes(call.words[0] ?? '')) {
    const names = commands.map((command) => command.path.slice(1).join(' '));
    throw usageError(
      `unknown command ${group} ${call.words[0] ?? ''}${hint(call.words[0] ?? '', names)}: there is ${names.join(', ')}`,
    );
  }
  call.io.stdout.write(commands.map((command) => commandHelp(entryOfHost(command))).join('\n\n'));
  return EXIT.done;
}

async function dispatch(argv: readonly string[], io: Io, flags: Flags, client: Client): Promise<number> {
  const words = [...argv];
  const verb = takeWord(words, flags);
  if (flags.has('version')) {
    io.stdout.write(`stewardctl ${VERSION}\n`);
    return EXIT.done;
  }
  if (verb === undefined || verb === 'help') {
    const asked = verb === 'help' || flags.has('help');
    (asked ? io.stdout : io.stderr).write(helpText(manual()));
    return asked ? EXIT.done : EXIT.usage;
  }
  const taken = takeConnection(words, flags);
  const own = await runOwn(verb, { words, flags, client, io }, taken);
  if (own !== undefined) return own;
  const group = takeWord(words, flags);
  if (group === undefined && flags.has('help')) {
    io.stdout.write(helpText(manual()));
    return EXIT.done;
  }
  const entry = group === undefined ? undefined : await client.find(verb, group);
  if (entry === undefined) throw await unknownCommand(client, verb, group);
  return runEntry(entry, { words, flags, client, io }, taken);
}

/** One line for an error: what happened and the request id that leads to the daemon's own records. */
export function errorLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const request = error instanceof CliError && error.request !== undefined ? ` (request ${oneLine(error.request)})` : '';
  return `stewardctl: ${oneLine(message)}${request}\n`;
}

/** Runs a command line. Never rejects: every error becomes a line on standard error and an exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const flags: Flags = new Map();
  const client = new Client(flags, io);
  try {
    return await dispatch(argv, io, flags, client);
  } catch (error) {
    io.stderr.write(errorLine(error));
    if (error instanceof CliError) return error.exit;
    return EXIT.failed;
  } finally {
    await client.close();
  }
}
