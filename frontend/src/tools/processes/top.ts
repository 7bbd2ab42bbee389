/** Catalogue entry: words, text and JSON form of processes/top. */
import { processesTop, type TopRecord } from '@steward/shared/ops/processes/top.ts';
import type { TopSummary } from '@steward/shared/ops/processes/top-summary.ts';
import { preceded } from '../../render/batches.ts';
import { arrayOf, jsonDocument } from '../../render/document.ts';
import { RecordTable } from '../../render/record-table.ts';
import { joinLines } from '../../render/stream.ts';
import { headLines, HEADER, narrowCells, WIDE_HEADER, wideCells } from '../../render/top.ts';
import { tool, type Follower, type RenderOptions } from '../tool.ts';

const DEFAULT_INTERVAL_MS = 1000;
const MIN_INTERVAL_MS = 100;

export const processesTopTool = tool({
  name: 'processes/top',
  title: 'Process snapshot (top)',
  description:
    'One snapshot like top -b: uptime, load, tasks, CPU, memory, then processes with %CPU over interval_ms. wide adds PPID, THR, command lines; json and yaml give data.',
  op: processesTop,
  formats: true,
  human: true,
  // The snapshot must be finished a second before the call's time is over.
  prepare: ({ interval_ms: interval = DEFAULT_INTERVAL_MS, ...rest }, seconds = Infinity) => {
    const longest = Math.max((seconds - 1) * 1000, MIN_INTERVAL_MS);
    return { ...rest, interval_ms: typeof interval === 'number' ? Math.min(interval, longest) : interval };
  },
  text: (outcome, options) => follow(options).text(outcome),
  follow,
  json: (outcome, options) => {
    if (options.form === 'table' || options.form === 'wide') return { ...follow(options).text(outcome), isJson: false };
    const members = [['summary', outcome.result] as const, ['processes', arrayOf(outcome.records())] as const];
    return { text: jsonDocument(members) };
  },
});

function follow({ form, human }: Pick<RenderOptions<unknown>, 'form' | 'human'>): Follower<TopSummary, TopRecord> {
  const wide = form === 'wide';
  const cells = wide ? wideCells : narrowCells;
  const table = new RecordTable({
    header: wide ? WIDE_HEADER : HEADER,
    cells: (record: TopRecord) => cells(record, human),
  });
  return {
    see: (records) => table.see(records),
    text: (outcome) => ({
      text: joinLines(
        preceded(
          headLines(outcome.result, human),
          table.lines(() => outcome.records()),
        ),
      ),
    }),
  };
}
