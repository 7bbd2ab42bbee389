/** Catalogue entry: words and text of cpu/load-average. */
import { cpuLoadAverage } from '@steward/shared/ops/cpu/load-average.ts';
import { tool } from '../tool.ts';

export const loadAverageTool = tool({
  name: 'cpu/load-average',
  title: 'Load average',
  description: 'Load averages over 1, 5 and 15 minutes. Text or JSON. Details: processes/top.',
  op: cpuLoadAverage,
  formats: true,
  human: false,
  text: ({ result }) => {
    const averages = [result['1_min'], result['5_min'], result['15_min']];
    return { text: `Load Average: ${averages.map((average) => average.toFixed(2)).join(', ')}` };
  },
});
