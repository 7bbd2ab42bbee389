/** Catalogue entry: words, table and JSON form of memory/usage. */
import { memoryUsage } from '@steward/shared/ops/memory/usage.ts';
import { alignedLines, type Layout } from '../../render/columns.ts';
import { jsonText } from '../../render/json.ts';
import { sizeWithUnit } from '../../render/sizes.ts';
import { tool } from '../tool.ts';

const HEADER = ['', 'total', 'used', 'free', 'shared', 'buff/cache', 'available'];
/** As free(1): figures under the right end of their heading, row names to the left. */
const LAYOUT: Layout = { gap: '  ', right: HEADER.map((_, column) => column > 0) };

export const memoryUsageTool = tool({
  name: 'memory/usage',
  title: 'Memory and swap usage',
  description:
    'Memory and swap totals like free; detailed adds raw meminfo. Text table or JSON in bytes. Per process: processes/top.',
  op: memoryUsage,
  formats: true,
  human: true,
  text: ({ result }, { human }) => {
    const size = human ? sizeWithUnit : String;
    const { total, used, free, shared, buffCache, available } = result;
    const rows = [
      HEADER,
      ['Mem:', ...[total, used, free, shared, buffCache, available].map((bytes) => size(bytes))],
      ['Swap:', ...[result.swap_total, result.swap_used, result.swap_free].map((bytes) => size(bytes))],
    ];
    const table = alignedLines(rows, LAYOUT).join('\n');
    return { text: result.raw === undefined ? table : `${table}\n\n${result.raw.replace(/\n$/, '')}` };
  },
  // The file as it is belongs to the text alone.
  json: ({ result }) => ({ text: jsonText({ ...result, raw: undefined }) }),
});
