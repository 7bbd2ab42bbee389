/**
 * From a command line to an exit code: stewardctl's own commands, host administration, and calls by verb and group.
 *
 * A command of stewardctl itself gives way when the next word is a group in which the server has that verb, so that nothing
 * the server offers is out of reach.
 */
import { Client } from './client/client.ts';
import { callTool, readEntry } from './call/call.ts';
import { explainEntry } from './commands/explain.ts';
import { findHostCommand, hostCommandsOf, isHostWord, runHost } from './commands/host.ts';
import { OWN_COMMANDS } from './commands/index.ts';
import type { OwnCall, OwnCommand } from './commands/own.ts';
import { unknownCommand } from './commands/unknown.ts';
import { watch, watchSeconds } from './call/watch.ts';
import { runSeveral, severalContexts } from './context/several.ts';
import { CliError, EXIT, usageError } from './exit.ts';
import type { Entry } from './grammar/entry.ts';
import { parseArguments } from './grammar/parse.ts';
import { formatAnywhere, takeConnection, takeWord, watchAnywhere } from './line.ts';
import { manual } from './manual/all.ts';
import { entryOfHost, entryOfOwn } from './manual/entry.ts';
import { commandHelp, helpText } from './manual/help.ts';
import { hint } from './nearest.ts';
import { oneLine } from './safety.ts';
import { VERSION } from './version.ts';
import { painted } from './render/colour.ts';
import type { Io, Output } from './io.ts';
import { textOf, type Flags } from './options.ts';

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
  const once = (io: Io): Promise<number> =>
    entry.kind === 'tool' ? callTool(call.client, entry, parsed, io) : readEntry(call.client, entry, parsed, io);
  const seconds = watchSeconds(textOf(parsed.flags, 'watch'));
  if (seconds === undefined) return once(call.io);
  if (entry.kind === 'tool' && !entry.readOnly)
    throw usageError(`${entry.verb} ${entry.group} may change something: it is not watched`);
  if (call.io.watched === true) return once(call.io);
  return watch([entry.verb, entry.group, ...call.words].join(' '), seconds, call.io, once);
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

function findOwn(name: string): OwnCommand | undefined {
  return OWN_COMMANDS.find((command) => command.name === name);
}

/** Commands of stewardctl itself. Resolves to undefined when the verb is none of them. */
async function runOwn(verb: string, call: OwnCall, taken: ReadonlySet<string>): Promise<number | undefined> {
  const host = await findHostCommand([verb, ...call.words]);
  if (host !== undefined) return runHost(host, { ...call, words: call.words.slice(host.path.length - 1) });
  const own = findOwn(verb);
  if (own === undefined && !isHostWord(verb)) return undefined;
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
async function hostUsage(group: string, call: OwnCall): Promise<number> {
  const commands = await hostCommandsOf(group);
  if (call.words.length > 0 && !['--help', '-h'].includes(call.words[0] ?? '')) {
    const names = commands.map((command) => command.path.slice(1).join(' '));
    throw usageError(
      `unknown command ${group} ${call.words[0] ?? ''}${hint(call.words[0] ?? '', names)}: there is ${names.join(', ')}`,
    );
  }
  call.io.stdout.write(commands.map((command) => commandHelp(entryOfHost(command))).join('\n\n'));
  return EXIT.done;
}

/** Runs a line whose connection is known. */
async function perform(verb: string, call: OwnCall, taken: ReadonlySet<string>): Promise<number> {
  const own = await runOwn(verb, call, taken);
  if (own !== undefined) return own;
  const words = [...call.words];
  const group = takeWord(words, call.flags);
  if (group === undefined && call.flags.has('help')) {
    call.io.stdout.write(helpText(await manual()));
    return EXIT.done;
  }
  const entry = group === undefined ? undefined : await call.client.find(verb, group);
  if (entry === undefined) throw await unknownCommand(call.client, verb, group);
  return runEntry(entry, { ...call, words }, taken);
}

/** Runs with a client of its own, which is closed at the end. Never rejects: an error becomes a line and an exit code. */
async function guarded(io: Io, flags: Flags, work: (client: Client) => Promise<number>): Promise<number> {
  const client = new Client(flags, io);
  try {
    return await work(client);
  } catch (error) {
    io.stderr.write(errorLine(error, io.stderr));
    return error instanceof CliError ? error.exit : EXIT.failed;
  } finally {
    await client.close();
  }
}

async function dispatch(argv: readonly string[], io: Io, flags: Flags): Promise<number> {
  const words = [...argv];
  const verb = takeWord(words, flags);
  if (flags.has('version')) {
    io.stdout.write(`stewardctl ${VERSION}\n`);
    return EXIT.done;
  }
  if (verb === 'help') return dispatch([...words, '--help'], io, flags);
  if (verb === undefined) {
    const asked = flags.has('help');
    (asked ? io.stdout : io.stderr).write(helpText(await manual()));
    return asked ? EXIT.done : EXIT.usage;
  }
  const taken = takeConnection(words, flags);
  const names = await severalContexts(flags, io);
  if (names === undefined) return guarded(io, flags, (client) => perform(verb, { words, flags, client, io }, taken));
  if ((await findHostCommand([verb, ...words])) !== undefined || findOwn(verb)?.local === true)
    throw usageError(`${verb} is about this host: it takes no contexts`);
  const seconds = watchSeconds(watchAnywhere(words, flags));
  const format = formatAnywhere(words, flags);
  const once = (shared: Io): Promise<number> =>
    runSeveral(names, format, shared, (name, own) => {
      const one: Flags = new Map([...flags].filter(([flag]) => flag !== 'all-contexts'));
      one.set('context', name);
      return guarded(own, one, (client) => perform(verb, { words, flags: one, client, io: own }, taken));
    });
  return seconds === undefined ? once(io) : watch([verb, ...words].join(' '), seconds, io, once);
}

/** One line for an error: what happened and the request id that leads to the daemon's own records. */
export function errorLine(error: unknown, out: Output): string {
  const message = error instanceof Error ? error.message : String(error);
  const request = error instanceof CliError && error.request !== undefined ? ` (request ${oneLine(error.request)})` : '';
  return `${painted(out, 'red', 'stewardctl:')} ${oneLine(message)}${request}\n`;
}

/** Runs a command line. Never rejects: every error becomes a line on standard error and an exit code. */
export function run(argv: readonly string[], io: Io): Promise<number> {
  const flags: Flags = new Map();
  return guarded(io, flags, () => dispatch(argv, io, flags));
}
