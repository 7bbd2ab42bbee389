/** Memory and swap totals in bytes, computed as free(1) does from /proc/meminfo (proc_meminfo(5)). Reads one public file. */
import { readSystem } from '../../host/procfs.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: { detailed: { type: 'boolean' } },
  required: [],
  additionalProperties: false,
} as const;

const bytes = { type: 'integer', minimum: 0 } as const;
const result = {
  type: 'object',
  properties: {
    total: bytes,
    used: bytes,
    free: bytes,
    shared: bytes,
    buffCache: bytes,
    available: bytes,
    swap_total: bytes,
    swap_used: bytes,
    swap_free: bytes,
    /** Every line of /proc/meminfo, in bytes (counts as they are); only when details were asked for. */
    meminfo: { type: 'object', properties: {}, required: [], additionalProperties: bytes },
    /** /proc/meminfo as it is; only when details were asked for. */
    raw: { type: 'string' },
  },
  required: ['total', 'used', 'free', 'shared', 'buffCache', 'available', 'swap_total', 'swap_used', 'swap_free'],
  additionalProperties: false,
} as const;

export type MemoryUsage = Static<typeof result>;

export const memoryUsage = operation<Static<typeof args>, MemoryUsage>({
  name: 'memory/usage',
  args,
  kind: 'value',
  result,
  where: 'loop',
  async run({ detailed }, context) {
    const raw = await readSystem(context.root, '/proc/meminfo');
    const meminfo = parseMeminfo(raw);
    return { ...totals(meminfo), ...(detailed === true ? { meminfo, raw } : {}) };
  },
});

/** Lines `Name:   123 kB`; the unit is always 1024 bytes although it says kB, and some lines are counts without one. */
export function parseMeminfo(text: string): Record<string, number> {
  const values: Record<string, number> = {};
  for (const [, name, number, unit] of text.matchAll(/^([^:\n]+):\s+(\d+)( kB)?$/gm)) {
    if (name !== undefined) values[name] = Number(number) * (unit === undefined ? 1 : 1024);
  }
  return values;
}

/** The totals of a host, as free(1) computes them. */
export function totals(meminfo: Readonly<Record<string, number>>): MemoryUsage {
  const of = (name: string): number => meminfo[name] ?? 0;
  const total = of('MemTotal');
  const free = of('MemFree');
  const buffCache = of('Buffers') + of('Cached') + of('SReclaimable');
  return {
    total,
    // Under lxcfs the parts can add up to more than the total.
    used: Math.max(0, total - free - buffCache),
    free,
    shared: of('Shmem'),
    buffCache,
    available: meminfo['MemAvailable'] ?? free + buffCache,
    swap_total: of('SwapTotal'),
    swap_used: Math.max(0, of('SwapTotal') - of('SwapFree')),
    swap_free: of('SwapFree'),
  };
}
