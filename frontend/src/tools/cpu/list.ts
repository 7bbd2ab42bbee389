/** Catalogue entry: words and text of cpu/list. */
import { cpuList, type CpuSummary } from '@steward/shared/ops/cpu/list.ts';
import { tool } from '../tool.ts';

export const cpuListTool = tool({
  name: 'cpu/list',
  title: 'CPU info',
  description:
    'CPU topology and architecture. Text summary, or JSON with one object per logical CPU; topology_only keeps ids and counts. Load: cpu/load-average.',
  op: cpuList,
  formats: true,
  human: false,
  text: ({ result }, { args }) => ({
    text: [...topologyLines(result), ...(args.topology_only === true ? [] : modelLines(result.first))].join('\n'),
  }),
});

function topologyLines(result: CpuSummary): string[] {
  return [
    `CPU Information (Total Processors: ${String(result.processors)})`,
    `Architecture: ${result.architecture}`,
    `Sockets: ${String(result.sockets)}`,
    `Cores per socket: ${String(result.cores_per_socket)}`,
    `Threads per core: ${String(result.threads_per_core)}`,
  ];
}

/** Of the first processor, what is known; architectures without a clock rate tell their BogoMIPS. */
function modelLines(first: CpuSummary['first']): string[] {
  const speed: [string, string | undefined] =
    first['cpu MHz'] === undefined ? ['BogoMIPS', first['BogoMIPS'] ?? first['bogomips']] : ['CPU MHz', first['cpu MHz']];
  const known: [string, string | undefined][] = [
    ['Vendor ID', first['vendor_id']],
    ['Model Name', first['model name']],
    speed,
    ['Cache Size', first['cache size']],
  ];
  return known.flatMap(([label, value]) => (value === undefined || value === '' ? [] : [`${label}: ${value}`]));
}
