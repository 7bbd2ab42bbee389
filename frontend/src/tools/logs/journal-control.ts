/** Catalogue entry: words and text of logs/journal-control. What journalctl printed is shown as it is. */
import { journalControl, type JournalResult } from '@steward/shared/ops/logs/journal-control.ts';
import { decoded } from '../../render/stream.ts';
import { tool, type Outcome } from '../tool.ts';

const WARNING = '[WARNING: Output truncated to the newest 4 MiB]';
const TRUNCATED = '{"truncated":true}';

export const journalControlTool = tool({
  name: 'logs/journal-control',
  title: 'Query systemd journal',
  description:
    'Query the systemd journal by unit, time and boot; newest lines, default 100, at most 10000. Text; json = one object per line. Kernel ring: logs/dmesg.',
  op: journalControl,
  formats: true,
  human: false,
  text: (outcome) => ({ text: outcome.result.bytes === 0 ? 'No journal entries match.' : shown(outcome, WARNING) }),
  json: (outcome) => ({ isJson: false, text: shown(outcome, TRUNCATED), data: asDocument(outcome) }),
});

/** The lines, below one that says so when there were more. */
async function* shown(outcome: Outcome<JournalResult, never>, cut: string): AsyncGenerator<string> {
  if (outcome.result.truncated) yield `${cut}\n`;
  yield* decoded(outcome.bytes());
}

/** The entries, each a line, as the items of one object. JSON as journalctl writes it has no line break inside of an entry. */
async function* asDocument(outcome: Outcome<JournalResult, never>): AsyncGenerator<string> {
  yield '{"items":[';
  for await (const piece of decoded(outcome.bytes())) yield piece.replaceAll('\n', ',');
  yield outcome.result.truncated ? '],"truncated":true}' : ']}';
}
