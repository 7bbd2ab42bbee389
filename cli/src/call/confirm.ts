/**
 * Asks before a destructive call, on a terminal only: scripts have nobody to ask and run. Where the tool has a dry run, the
 * question shows what would happen, in the daemon's words.
 */
import { failureOf } from '../client/answers.ts';
import type { Client } from '../client/client.ts';
import { askYes, isInteractive } from './prompt.ts';
import { CliError, EXIT } from '../exit.ts';
import type { ToolEntry } from '../grammar/entry.ts';
import type { Io } from '../io.ts';
import { forTerminal } from '../safety.ts';

/** How every text of a dry run begins that would change something. */
const WOULD_CHANGE = 'Dry run: ';

/**
 * Returns when the call may be made.
 *
 * A tool that reads or writes depending on its arguments is destructive by its declaration; its dry run of a read does not say
 * that anything would change, and then there is nothing to ask.
 *
 * @throws CliError when the dry run fails (the call would fail too), and when the answer is no
 */
export async function confirmCall(
  client: Client,
  tool: ToolEntry,
  args: Readonly<Record<string, unknown>>,
  io: Io,
): Promise<void> {
  if (!tool.destructive || args['dry_run'] === true) return;
  const ask = io.confirm ?? (isInteractive(io) ? (question: string) => askYes(io, question) : undefined);
  if (ask === undefined) return;
  let what = `${tool.name} changes this host.`;
  if (tool.arguments.some((argument) => argument.name === 'dry_run')) {
    const { output_format: _form, ...rest } = args;
    const dry = await client.callTool(tool.name, { ...rest, dry_run: true });
    if (dry.isError) throw failureOf(dry);
    if (!dry.text.startsWith(WOULD_CHANGE)) return;
    what = forTerminal(dry.text.trimEnd());
  }
  if (!(await ask(`${what}\nDo it?`))) throw new CliError(EXIT.failed, 'not done');
}
