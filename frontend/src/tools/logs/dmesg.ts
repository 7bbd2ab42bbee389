/** Catalogue entry: words and text of logs/dmesg. */
import { kernelLogText } from '@steward/shared/host/kernel-log/record.ts';
import { logsDmesg } from '@steward/shared/ops/logs/dmesg.ts';
import { tool } from '../tool.ts';

const WARNING = '[WARNING: Output truncated to last 30KB]';

export const dmesgTool = tool({
  name: 'logs/dmesg',
  title: 'Kernel ring buffer',
  description:
    'Kernel ring buffer, optional level filter; cut to the last 30 KB. Text or JSON. Often needs privileged: true. Older boots: logs/journal-control.',
  op: logsDmesg,
  formats: true,
  human: false,
  text: ({ result: { entries, truncated } }) => ({
    text: [...(truncated ? [WARNING] : []), ...entries.map(kernelLogText)].join('\n'),
  }),
});
