/**
 * The processors of the host: /proc/cpuinfo (proc_cpuinfo(5)), completed from /sys/devices/system/cpu where an architecture
 * leaves the topology out. Reads public files only.
 */
import { readAttribute, readSystem } from './procfs.ts';

/** One logical processor under the names of /proc/cpuinfo. */
export type Processor = Readonly<Record<string, string>>;

/** What is kept when only the topology is asked for. */
export const TOPOLOGY_NAMES = ['processor', 'physical id', 'core id', 'siblings', 'cpu cores'] as const;

/** Blocks of `name : value` lines; blocks without a processor number (a closing `Hardware` block) are left out. */
export function parseCpuinfo(text: string): Processor[] {
  return text
    .split(/\n\s*\n/)
    .map((block) => {
      const pairs = block.split('\n').map((line) => /^([^:]*?)\s*:\s?(.*)$/.exec(line));
      return Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', (pair[2] ?? '').trim()]])));
    })
    .filter((processor) => processor['processor'] !== undefined);
}

/** The processors with all of `TOPOLOGY_NAMES` present where the kernel tells them one way or the other. */
export async function readProcessors(root: string): Promise<Processor[]> {
  const listed = parseCpuinfo(await readSystem(root, '/proc/cpuinfo'));
  const placed = await Promise.all(listed.map((processor) => place(root, processor)));
  return count(placed);
}

/** Adds package and core from sysfs where /proc/cpuinfo lacks them (arm64). */
async function place(root: string, processor: Processor): Promise<Processor> {
  if (processor['physical id'] !== undefined && processor['core id'] !== undefined) return processor;
  const directory = `/sys/devices/system/cpu/cpu${processor['processor'] ?? ''}/topology`;
  const physical = await readAttribute(root, `${directory}/physical_package_id`);
  const core = await readAttribute(root, `${directory}/core_id`);
  return {
    ...processor,
    ...(physical === undefined ? {} : { 'physical id': physical }),
    ...(core === undefined ? {} : { 'core id': core }),
  };
}

/** Adds `siblings` and `cpu cores`, both per package, where they are missing and the packages are known. */
function count(processors: readonly Processor[]): Processor[] {
  const packages = Map.groupBy(processors, (processor) => processor['physical id']);
  const counts = new Map(
    [...packages].map(([physical, members]) => [
      physical,
      { siblings: String(members.length), 'cpu cores': String(new Set(members.map((member) => member['core id'])).size) },
    ]),
  );
  return processors.map((processor) =>
    processor['physical id'] === undefined ? processor : { ...counts.get(processor['physical id']), ...processor },
  );
}

export interface Topology {
  readonly sockets: number;
  readonly coresPerSocket: number;
  readonly threadsPerCore: number;
}

/** Counts over the processors that are online; a processor whose place is unknown counts as a core of its own in one package. */
export function topologyOf(processors: readonly Processor[]): Topology {
  const packages = new Set(processors.map((processor) => processor['physical id'] ?? '0'));
  const cores = new Set(
    processors.map((processor) => `${processor['physical id'] ?? '0'}/${processor['core id'] ?? processor['processor'] ?? ''}`),
  );
  const sockets = Math.max(1, packages.size);
  const coresPerSocket = Math.max(1, Math.round(cores.size / sockets));
  return { sockets, coresPerSocket, threadsPerCore: Math.max(1, Math.round(processors.length / (sockets * coresPerSocket))) };
}
