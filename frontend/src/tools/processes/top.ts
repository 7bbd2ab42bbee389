/** Catalogue entry: words, text and JSON form of processes/top. */
import { processesTop, type TopRecord } from '@steward/shared/ops/processes/top.ts';
import type { TopSummary } from '@steward/shared/ops/processes/top-summary.ts';
import { preceded } from '../../render/batches.ts';
import { arrayOf, jsonDocument } from '../../render/document.ts';
import { tableText } from '../../render/record-table.ts';
import { joinLines } from '../../render/stream.ts';
import { headLines, HEADER, narrowCells, WIDE_HEADER, wideCells } from '../../render/top.ts';
import { tool } from '../tool.ts';

type Args = Parameters<typeof processesTop.run>[0];

const DEFAULT_INTERVAL_MS = 1000;
const MIN_INTERVAL_MS = 100;

const inText = tableText<Args, TopSummary, TopRecord>(
  ({ form, human }) =>
    form === 'wide'
      ? { header: WIDE_HEADER, cells: (record) => wideCells(record, human) }
      : { header: HEADER, cells: (record) => narrowCells(record, human) },
  (result, lines, { human }) => ({ text: joinLines(preceded(headLines(result, human), lines())) }),
);

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
  ...inText,
  json: (outcome, options) => {
    if (options.form === 'table' || options.form === 'wide') return { ...inText.text(outcome, options), isJson: false };
    const members = [['summary', outcome.result] as const, ['processes', arrayOf(outcome.records())] as const];
    return { text: jsonDocument(members) };
  },
});
