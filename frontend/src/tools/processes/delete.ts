/** Catalogue entry: words, text and JSON form of processes/delete. */
import { parseSignal } from '@steward/shared/host/signals.ts';
import { processesDelete } from '@steward/shared/ops/processes/delete.ts';
import { jsonText } from '../../render/json.ts';
import { escapeName } from '../../render/names.ts';
import { tool } from '../tool.ts';

export const processesDeleteTool = tool({
  name: 'processes/delete',
  title: 'Signal a process',
  description:
    'Send a signal to one process (default SIGTERM). pid 1, kernel threads and steward are refused. Find pids with processes/list.',
  op: processesDelete,
  formats: true,
  human: false,
  // Callers may leave out SIG, and write it in small letters.
  prepare: ({ signal, ...rest }) => ({
    ...rest,
    ...(signal === undefined ? {} : { signal: typeof signal === 'string' && signal !== '' ? parseSignal(signal) : signal }),
  }),
  text: ({ result }) => {
    const { pid, signal, comm, owner } = result;
    const process = `${pid} (${escapeName(comm)}, owner ${escapeName(owner)})`;
    return {
      text: result.dry_run
        ? `Dry run: would send ${signal} to process ${process}`
        : `Successfully sent signal ${signal} to process ${pid}`,
    };
  },
  json: ({ result: { pid, signal, dry_run } }) => ({
    text: jsonText({ pid, signal, result: 'sent', ...(dry_run ? { dry_run } : {}) }),
  }),
});
