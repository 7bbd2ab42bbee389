/** Catalogue entry: words and text of logs/journal-control. What journalctl printed is shown as it is. */
import { journalControl } from '@steward/shared/ops/logs/journal-control.ts';
import { decoded } from '../../render/stream.ts';
import { tool } from '../tool.ts';

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
  text: ({ result, bytes }) => ({
    text: result.bytes === 0 ? 'No journal entries match.' : after(result.truncated ? `${WARNING}\n` : '', decoded(bytes())),
  }),
  json: ({ result, bytes }) => ({ isJson: false, text: after(result.truncated ? `${TRUNCATED}\n` : '', decoded(bytes())) }),
});

async function* after(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  if (first !== '') yield first;
  yield* rest;
}
