/** Makes one call of a tool or one read of a resource, and prints the answer. */
import { confirmCall } from './confirm.ts';
import { underProgress } from './progress.ts';
import { sourcesOf } from './sources.ts';
import { failureOf, type Answer } from '../client/answers.ts';
import type { Client } from '../client/client.ts';
import { EXIT, unreachable, usageError } from '../exit.ts';
import { toArguments } from '../grammar/convert.ts';
import { fillTemplate, type ResourceEntry, type TemplateEntry, type ToolEntry } from '../grammar/entry.ts';
import type { Parsed } from '../grammar/parse.ts';
import type { Io } from '../io.ts';
import { textOf, type Flags, type Format } from '../options.ts';
import { printAnswer } from '../render/output.ts';

/** The form asked for with `-o`; its values were checked when it was read. */
export function formatOf(flags: Flags): Format {
  return (textOf(flags, 'output') ?? 'text') as Format;
}

/** Waits for one answer, at most `--timeout` seconds and until Ctrl-C; the server is told to stop then. */
async function within<T>(flags: Flags, io: Io, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const given = textOf(flags, 'timeout');
  if (given === undefined) return work(io.signal);
  const seconds = Number(given);
  if (!Number.isFinite(seconds) || seconds <= 0) throw usageError(`--timeout must be a number of seconds, got "${given}"`);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(unreachable(`no answer in ${given} seconds, the call was stopped`)), seconds * 1000);
  try {
    return await work(AbortSignal.any([io.signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** Adds what stewardctl's own options mean to the arguments of a tool. */
function withOptions(tool: ToolEntry, args: Record<string, unknown>, flags: Flags): Record<string, unknown> {
  const has = (name: string): boolean => tool.arguments.some((argument) => argument.name === name);
  const added: Record<string, unknown> = { ...args };
  // Never unknown to a tool: where there is nothing to raise it has no effect.
  if (flags.has('privileged')) added['privileged'] ??= true;
  // Also where the schema has none: some tools take it all the same. A tool that changes things refuses what it does not know.
  if (formatOf(flags) !== 'text' && (has('output_format') || tool.readOnly)) added['output_format'] ??= 'json';
  return added;
}

/** Prints a good answer. @throws CliError for a failure */
async function finish(answer: Answer, flags: Flags, io: Io, options: { human: boolean; exact: boolean }): Promise<number> {
  if (answer.isError) throw failureOf(answer);
  await printAnswer(io.stdout, answer.text, { format: formatOf(flags), ...options });
  return EXIT.done;
}

/** Calls a tool. Resolves to the exit code; rejects with CliError when the call fails. */
export async function callTool(client: Client, tool: ToolEntry, parsed: Parsed, io: Io): Promise<number> {
  const { flags } = parsed;
  const args = withOptions(tool, await toArguments(parsed.given, sourcesOf(io)), flags);
  if (!flags.has('yes')) await confirmCall(client, tool, args, io);
  const answer = await underProgress(io.stderr, (progress) =>
    within(flags, io, (signal) => client.callTool(tool.name, args, { signal, progress })),
  );
  const renders = tool.arguments.some((argument) => argument.name === 'output_format');
  return finish(answer, flags, io, {
    human: args['human_readable'] === true || flags.has('human'),
    exact: tool.readOnly && !renders,
  });
}

/** Reads a URI. Content is written exactly, JSON with a newline at its end. */
export async function readUri(client: Client, uri: string, flags: Flags, io: Io): Promise<number> {
  const answer = await underProgress(io.stderr, (progress) =>
    within(flags, io, (signal) => client.readResource(uri, { signal, progress })),
  );
  return finish(answer, flags, io, { human: flags.has('human'), exact: answer.mimeType !== 'application/json' });
}

/** Reads a resource, or a template with its places filled. */
export async function readEntry(client: Client, entry: ResourceEntry | TemplateEntry, parsed: Parsed, io: Io): Promise<number> {
  if (entry.kind === 'resource') return readUri(client, entry.uri, parsed.flags, io);
  const values = await toArguments(parsed.given, sourcesOf(io));
  return readUri(client, fillTemplate(entry.uriTemplate, values), parsed.flags, io);
}
