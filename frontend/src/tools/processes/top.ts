/** Catalogue entry: words, text and JSON form of processes/top. */
import { processesTop, type TopRecord } from '@steward/shared/ops/processes/top.ts';
import type { TopSummary } from '@steward/shared/ops/processes/top-summary.ts';
import { mapped, preceded } from '../../render/batches.ts';
import { tableLines } from '../../render/columns.ts';
import { arrayOf, jsonDocument } from '../../render/document.ts';
import { joinLines } from '../../render/stream.ts';
import { headLines, HEADER, narrowCells, WIDE_HEADER, wideCells } from '../../render/top.ts';
import { tool, type Outcome, type Rendered, type RenderOptions } from '../tool.ts';

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
  text: renderText,
  json: (outcome, options) => {
    if (options.form === 'table' || options.form === 'wide') return { ...renderText(outcome, options), isJson: false };
    const members = [['summary', outcome.result] as const, ['processes', arrayOf(outcome.records())] as const];
    return { text: jsonDocument(members) };
  },
});

function renderText(
  outcome: Outcome<TopSummary, TopRecord>,
  { form, human }: Pick<RenderOptions<unknown>, 'form' | 'human'>,
): Rendered {
  const wide = form === 'wide';
  const cells = wide ? wideCells : narrowCells;
  const rows = () => mapped(outcome.records(), (record) => cells(record, human));
  return { text: joinLines(preceded(headLines(outcome.result, human), tableLines(wide ? WIDE_HEADER : HEADER, rows))) };
}
