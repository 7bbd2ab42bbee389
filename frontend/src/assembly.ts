/** What a service is made of, and the dispatcher made of it: tools, resources and methods, each told where its work is done. */
import type { ProgramRunner } from '@steward/shared/host/programs.ts';
import type { WorkerPool } from '@steward/shared/workers/pool.ts';
import type { BrokerLink } from './broker/link.ts';
import type { Settings } from './broker/settings.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { complete } from './resources/complete.ts';
import { readResource } from './resources/read.ts';
import type { FixedResource, FoundResource, ResourceTemplate } from './resources/resource.ts';
import { Dispatcher } from './rpc/dispatcher.ts';
import { makeMethods } from './rpc/methods.ts';
import { ToolCaller } from './tools/call.ts';
import { ToolListing } from './tools/listing.ts';
import type { JudgeArguments } from './tools/runner.ts';
import type { AnyTool } from './tools/tool.ts';
import type { TlsPair } from './transport/listener.ts';
import { LocalWork } from './local/local.ts';

/** What clients may ask for. */
export interface Catalogue {
  readonly tools: readonly AnyTool[];
  readonly resources: readonly FixedResource[];
  readonly templates: readonly ResourceTemplate[];
  readonly find: (uri: string) => FoundResource | undefined;
}

export interface ServiceParts {
  readonly catalogue: Catalogue;
  readonly link: BrokerLink;
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly pool: Pick<WorkerPool, 'run' | 'close'>;
  readonly programs: ProgramRunner;
  readonly judge: JudgeArguments;
  /** Operations that the broker has rows for. */
  readonly brokerOperations: readonly string[];
  readonly tls: TlsPair | undefined;
}

export function makeDispatcher(parts: ServiceParts): Dispatcher {
  const { catalogue, settings, log, judge, pool, programs, metrics } = parts;
  const report = (error: unknown, request: string): void => log.error('internal error', error, { request });
  const config = () => settings.config;
  const running = { local: new LocalWork({ pool, programs }), guard: () => settings.guard, judge, config };
  const inBroker = new Set(parts.brokerOperations);
  const caller = new ToolCaller({ ...running, tools: catalogue.tools, inBroker: (op) => inBroker.has(op), report, metrics });
  const methods = makeMethods({
    listing: new ToolListing(catalogue.tools),
    resources: { fixed: catalogue.resources, templates: catalogue.templates },
    config,
    callTool: (call) => caller.call(call),
    complete: (call) => complete({ ...running, templates: catalogue.templates }, call),
    readResource: (call) => readResource({ ...running, find: catalogue.find }, call),
  });
  return new Dispatcher(methods, report);
}
