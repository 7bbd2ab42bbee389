/**
 * tools/call: finds the tool, judges the arguments, runs the operation on the right side and makes the answer. Everything that
 * goes wrong with a known tool is a result that says so, so that a model can act on it.
 */
import { toolFacts } from '@steward/shared/catalogue/facts.ts';
import { timeLimit } from '@steward/shared/catalogue/time-limit.ts';
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import { StewardError, type ErrorKey } from '@steward/shared/errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { jsonArray, jsonText } from '../render/json.ts';
import type { Answer, MethodCall, ReportDefect } from '../rpc/dispatcher.ts';
import { CODES, RpcError, invalidParams } from '../rpc/errors.ts';
import type { JsonNode } from '../rpc/json-stream.ts';
import { hasStructuredContent } from '../rpc/versions.ts';
import { checkArguments } from './arguments.ts';
import { isGranted } from './listing.ts';
import { ToolNames } from './names.ts';
import { parametersOf, takesPrivileged, type Parameter } from './parameters.ts';
import { failureNode, failureOf, resultNode } from './result.ts';
import { Runner, type Run, type RunnerServices } from './runner.ts';
import { structuredNode } from './structured.ts';
import type { AnyTool, Form, Outcome, Rendered, RenderOptions } from './tool.ts';

export interface CallServices extends RunnerServices {
  readonly tools: readonly AnyTool[];
  readonly config: () => DaemonConfig;
  /** Whether the broker has a row for an operation. */
  readonly inBroker: (op: string) => boolean;
  readonly report: ReportDefect;
  readonly metrics: Pick<Metrics, 'called'>;
}

type Values = Readonly<Record<string, unknown>>;

export class ToolCaller {
  readonly #services: CallServices;
  readonly #names: ToolNames;
  readonly #parameters: ReadonlyMap<AnyTool, readonly Parameter[]>;

  constructor(services: CallServices) {
    this.#services = services;
    this.#names = new ToolNames(services.tools);
    this.#parameters = new Map(services.tools.map((tool) => [tool, parametersOf(tool)]));
  }

  /** Serves one tools/call. Throws RpcError for an unknown tool and for arguments that are no object. */
  async call(call: MethodCall): Promise<Answer> {
    const tool = this.#find(call.params['name']);
    const given = call.params['arguments'];
    if (given !== undefined && given !== null && (typeof given !== 'object' || Array.isArray(given))) {
      throw RpcError.of(CODES.invalidParams, new StewardError('arguments_not_object'));
    }
    let giveBack = (): void => undefined;
    const began = performance.now();
    const done = (error?: ErrorKey): void => {
      const side = this.#isRoot(tool, given) ? 'root' : 'local';
      this.#services.metrics.called(tool.name, side, (performance.now() - began) / 1000, error);
    };
    try {
      call.charge();
      giveBack = await call.turn();
      const { result, weight, release } = await this.#run(tool, given, call);
      done();
      return { result, weight, release: both(release, giveBack) };
    } catch (error) {
      done(error instanceof StewardError ? error.key : 'internal');
      return { result: this.#failure(error, tool, call, isPrivileged(given)), weight: 0, release: giveBack };
    }
  }

  #find(name: unknown): AnyTool {
    if (typeof name !== 'string') throw invalidParams();
    const tool = this.#names.find(name);
    if (tool !== undefined) return tool;
    throw RpcError.of(CODES.invalidParams, new StewardError('unknown_tool', { name }));
  }

  async #run(tool: AnyTool, given: unknown, call: MethodCall): Promise<Answer> {
    const config = this.#services.config();
    const seconds = timeLimit(tool.name, config, (given ?? {}) as Values);
    const values = checkArguments(tool, this.#parameters.get(tool) ?? [], given, seconds);
    refuseIfReadOnly(tool, values, config);
    const { caller, request, signal, progress } = call;
    const runner = new Runner(this.#services, {
      caller,
      request,
      signal,
      progress,
      config,
      seconds,
      patience: patienceWith(tool),
    });
    try {
      const run = this.#plan(tool, values);
      const options = renderOptions(tool, values, run);
      const follower = options.form === 'text' ? tool.follow?.(options) : undefined;
      const outcome = await runner.run(run, follower && ((records) => follower.take(records)));
      const again = (): Rendered => render(tool, options, outcome);
      const rendered = follower === undefined ? again() : follower.text(outcome);
      const takesData = hasStructuredContent(call.surface, call.version);
      const data = takesData ? structuredNode(rendered, again) : undefined;
      return { result: resultNode(rendered, request, data), weight: runner.weight, release: () => runner.close() };
    } catch (error) {
      runner.close();
      throw error;
    }
  }

  /** Which side runs it, with which arguments. A tool without `privileged` runs where its operation lives. */
  #plan(tool: AnyTool, values: Values): Run {
    const { op } = tool;
    const root = this.#isRoot(tool, values);
    const own = Object.entries(values).filter(([name]) => name !== op.upload && Object.hasOwn(op.args.properties, name));
    const content = op.upload === undefined ? undefined : (values[op.upload] as string | undefined);
    const repeatable = toolFacts(tool.name).hints.readOnly;
    return { op, args: Object.fromEntries(own), content, side: root ? 'root' : 'local', repeatable };
  }

  #isRoot(tool: AnyTool, values: unknown): boolean {
    const always = toolFacts(tool.name).privilege !== 'optional' && this.#services.inBroker(tool.op.name);
    return always || (takesPrivileged(tool) && isPrivileged(values));
  }

  #failure(error: unknown, tool: AnyTool, { caller, request }: MethodCall, wasRoot: boolean): JsonNode {
    if (error instanceof RpcError) throw error;
    if (!(error instanceof StewardError)) {
      this.#services.report(error, request);
      return failureNode(failureOf(new StewardError('internal', { request }), undefined), request);
    }
    const couldBeRoot = !wasRoot && takesPrivileged(tool) && isGranted(caller.grants, tool.name);
    return failureNode(failureOf(error, couldBeRoot ? tool.name : undefined), request);
  }
}

/** Whether the caller asked for root, whatever else is wrong with the arguments. */
function isPrivileged(given: unknown): boolean {
  return typeof given === 'object' && given !== null && 'privileged' in given && given.privileged === true;
}

/** Seconds in which an operation that ends by itself at its limit says what became of it. */
const patienceWith = (tool: AnyTool): number => (toolFacts(tool.name).callerLimit === undefined ? 0 : 5);

function both(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

/** A read-only daemon changes nothing on this host. Fetching, re-reading its own configuration and dry runs change nothing. */
function refuseIfReadOnly(tool: AnyTool, values: Values, config: DaemonConfig): void {
  if (!config.catalogue.read_only || values['dry_run'] === true) return;
  const { hints, group } = toolFacts(tool.name);
  if (hints.readOnly || group === 'network' || group === 'daemon') return;
  if (tool.changes?.(values) === false) return;
  throw new StewardError('read_only', { tool: tool.name });
}

function renderOptions(tool: AnyTool, values: Values, run: Run): RenderOptions<Values> {
  const form = tool.formats ? ((values['output_format'] as Form | undefined) ?? 'text') : 'text';
  return { args: { ...values, ...run.args }, form, human: tool.human && values['human_readable'] === true };
}

/** The answer's text in the form that was asked for. */
function render(tool: AnyTool, options: RenderOptions<Values>, outcome: Outcome<never, never>): Rendered {
  if (options.form === 'text') return tool.text(outcome, options);
  if (tool.json !== undefined) return { isJson: true, ...tool.json(outcome, options) };
  return { isJson: true, text: tool.op.kind === 'records' ? jsonArray(outcome.records()) : jsonText(outcome.result) };
}
