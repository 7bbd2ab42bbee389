/** Load averages of the last 1, 5 and 15 minutes (proc_loadavg(5)). Reads one public file. */
import { StewardError } from '../../errors.ts';
import { readAtHand } from '../../host/procfs.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const FILE = '/proc/loadavg';
const result = {
  type: 'object',
  properties: { '1_min': { type: 'number' }, '5_min': { type: 'number' }, '15_min': { type: 'number' } },
  required: ['1_min', '5_min', '15_min'],
  additionalProperties: false,
} as const;
export type LoadAverage = Static<typeof result>;

export const cpuLoadAverage = operation<Static<typeof NOTHING>, LoadAverage>({
  name: 'cpu/load-average',
  args: NOTHING,
  kind: 'value',
  result,
  where: 'loop',
  // eslint-disable-next-line @typescript-eslint/require-await -- what is thrown is a rejection, as of every operation
  async run(_args, context) {
    const [one, five, fifteen] = readAtHand(context.root, FILE).split(' ').map(Number);
    if (one === undefined || five === undefined || fifteen === undefined || Number.isNaN(one + five + fifteen)) {
      throw new StewardError('read_system', { path: FILE, reason: 'unexpected content' });
    }
    return { '1_min': one, '5_min': five, '15_min': fifteen };
  },
});
