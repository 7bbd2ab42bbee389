/** Processors and their topology. Reads public files; one record per logical processor, because large hosts have hundreds. */
import { machine } from 'node:os';
import { readProcessors, TOPOLOGY_NAMES, topologyOf, type Processor } from '../../host/cpus.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: { topology_only: { type: 'boolean' } },
  required: [],
  additionalProperties: false,
} as const;

const record = { type: 'object', properties: {}, required: [], additionalProperties: { type: 'string' } } as const;

const result = {
  type: 'object',
  properties: {
    /** As uname(2) names it, for instance `x86_64`. */
    architecture: { type: 'string' },
    processors: { type: 'integer' },
    sockets: { type: 'integer' },
    cores_per_socket: { type: 'integer' },
    threads_per_core: { type: 'integer' },
    /** The first processor whole, for a summary. */
    first: record,
  },
  required: ['architecture', 'processors', 'sockets', 'cores_per_socket', 'threads_per_core', 'first'],
  additionalProperties: false,
} as const;
export type CpuSummary = Static<typeof result>;

export const cpuList = operation<Static<typeof args>, CpuSummary, Processor>({
  name: 'cpu/list',
  args,
  kind: 'records',
  result,
  record,
  where: 'loop',
  async run({ topology_only }, context) {
    const processors = await readProcessors(context.root);
    for (const processor of processors) await context.emit(topology_only === true ? placeOf(processor) : processor);
    const { sockets, coresPerSocket, threadsPerCore } = topologyOf(processors);
    return {
      architecture: machine(),
      processors: processors.length,
      sockets,
      cores_per_socket: coresPerSocket,
      threads_per_core: threadsPerCore,
      first: { ...processors[0] },
    };
  },
});

function placeOf(processor: Processor): Processor {
  return Object.fromEntries(
    TOPOLOGY_NAMES.flatMap((name) => (processor[name] === undefined ? [] : [[name, processor[name]] as const])),
  );
}
