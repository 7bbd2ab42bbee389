/** Catalogue entry: words and table of processes/list. */
import { processesList, type ProcessRecord } from '@steward/shared/ops/processes/list.ts';
import { remembering } from '@steward/shared/remember.ts';
import type { Cells } from '../../render/columns.ts';
import { escapeName } from '../../render/names.ts';
import { tableText } from '../../render/record-table.ts';
import { sizeWithUnit } from '../../render/sizes.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

type Args = Parameters<typeof processesList.run>[0];

const HEADER = ['PID', 'USER', 'COMM', 'STATE', 'PPID', 'RSS_BYTES', 'CMDLINE'];
/** Of a single process. */
const SINGLE_HEADER = ['PID', 'PPID', 'USER', 'STAT', 'RSS', 'COMMAND'];

export const processesListTool = tool({
  name: 'processes/list',
  title: 'List processes',
  description:
    'List processes, optionally of one user or one pid, sorted by pid, mem or cpu (cpu takes a 0.5 s sample). Text or JSON. CPU and load view: processes/top.',
  op: processesList,
  formats: true,
  human: true,
  ...tableText<Args, object, ProcessRecord>(
    ({ args, human }) => {
      const single = (args.pid ?? 0) > 0;
      const size = human ? sizeWithUnit : String;
      return { header: single ? SINGLE_HEADER : HEADER, cells: cellsWith(single, size) };
    },
    (_, lines) => ({ text: joinLines(lines()) }),
  ),
});

/** Users and commands are few. */
function cellsWith(single: boolean, size: (bytes: number) => string): (record: ProcessRecord) => Cells {
  const shown = remembering(escapeName);
  return (record) => {
    const pid = `${record.pid}`;
    const ppid = `${record.ppid}`;
    const user = shown(record.user);
    const rss = size(record.rss_bytes);
    const cmdline = escapeName(record.cmdline);
    return single
      ? [pid, ppid, user, record.state, rss, cmdline]
      : [pid, user, shown(record.comm), record.state, ppid, rss, cmdline];
  };
}
