/** Catalogue entry: words and text of kernel/system-control. */
import { kernelSystemControl, type SysctlRecord, type SysctlResult } from '@steward/shared/ops/kernel/system-control.ts';
import { escapeName } from '../../render/names.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

export const systemControlTool = tool({
  name: 'kernel/system-control',
  title: 'Read/write sysctl',
  description:
    'Read a kernel parameter or subtree, or write one when value is given (privileged: true and a write_keys grant). Text key = value.',
  op: kernelSystemControl,
  formats: false,
  human: false,
  changes: ({ value, dry_run }) => value !== undefined && value !== '' && dry_run !== true,
  prepare: ({ value, ...rest }) => ({ ...rest, ...(value === undefined ? {} : { value: asWritten(value) }) }),
  text: (outcome) => ({ text: joinLines(lines(outcome.result, () => outcome.records())) }),
});

/** Numbers and switches as the kernel wants them; anything else is left for the schema to judge. */
function asWritten(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? '1' : '0';
  return typeof value === 'number' ? String(value) : value;
}

async function* lines(result: SysctlResult, records: () => AsyncIterable<SysctlRecord>): AsyncGenerator<string> {
  for await (const record of records()) {
    if (result.action === 'dry_run') yield change(record, result.previous);
    // A value of several lines repeats its key on each, as sysctl(8) does.
    else
      yield record.value
        .split('\n')
        .map((line) => `${escapeName(record.key)} = ${line}`)
        .join('\n');
  }
  if (result.action === 'write' && result.unreadable > 0) yield `# ${escapeName(result.key)} was written; it cannot be read back`;
  if (result.action === 'read' && result.unreadable > 0) yield `# ${String(result.unreadable)} keys could not be read`;
  if (result.truncated) yield '[WARNING: Output truncated at 4 MiB]';
}

/** A key that only takes writes has no value to show before the change. */
function change(record: SysctlRecord, previous: string | null): string {
  return `Dry run: ${escapeName(record.key)} = ${previous ?? '(unreadable)'} -> ${record.value}`;
}
