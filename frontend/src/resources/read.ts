/** resources/read: finds what a URI names, lets it make its content, and gives back what that was made from. */
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import type { Operation } from '@steward/shared/ops/operation.ts';
import type { Answer, MethodCall } from '../rpc/dispatcher.ts';
import { CODES, RpcError, invalidParams } from '../rpc/errors.ts';
import type { Surface } from '../rpc/versions.ts';
import { textNode } from '../tools/result.ts';
import { Runner, type Run, type RunnerServices } from '../tools/runner.ts';
import type { Outcome } from '../tools/tool.ts';
import type { FoundResource, ResourceContext } from './resource.ts';

export interface ReadServices extends RunnerServices {
  /** What a URI names; undefined when it is unknown. Throws URIError. */
  readonly find: (uri: string) => FoundResource | undefined;
  readonly config: () => DaemonConfig;
}

/** Serves one resources/read. Rejects with RpcError for a URI that is bad or unknown, else with StewardError. */
export async function readResource(services: ReadServices, call: MethodCall): Promise<Answer> {
  const { uri } = call.params;
  if (typeof uri !== 'string') throw invalidParams();
  const { resource, params } = found(services, uri, call.surface);
  const giveBack = await call.turn();
  const { caller, request, signal } = call;
  const config = services.config();
  const runner = new Runner(services, { caller, request, signal, config, seconds: config.limits.timeout_seconds });
  const release = (): void => {
    runner.close();
    giveBack();
  };
  try {
    const { mimeType, text } = await resource.read(contextOf(call, runner, uri, params));
    return { result: { contents: [{ uri, mimeType, text: textNode(text) }] }, weight: runner.weight, release };
  } catch (error) {
    release();
    throw error;
  }
}

function found({ find }: ReadServices, uri: string, surface: Surface): FoundResource {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) throw invalidParams();
  let resource: FoundResource | undefined;
  try {
    resource = find(uri);
  } catch (error) {
    if (error instanceof URIError) throw invalidParams();
    throw error;
  }
  if (resource === undefined) {
    // The newest revision has no number of its own for this.
    const code = surface === 'modern' ? CODES.invalidParams : CODES.resourceNotFound;
    throw RpcError.of(code, new StewardError('unknown_resource', { uri }), surface === 'modern' ? { uri } : undefined);
  }
  return resource;
}

/** What a read or a completion stands on; its outcomes last until the runner is closed. */
export function contextOf(
  { caller }: MethodCall,
  runner: Runner,
  uri: string,
  params: Readonly<Record<string, string>>,
): ResourceContext {
  const run =
    (side: Run['side']) =>
    async <Args, Result, Item>(op: Operation<Args, Result, Item>, args: Args): Promise<Outcome<Result, Item>> =>
      runner.run({ op, args: args as Readonly<Record<string, unknown>>, side, repeatable: true });
  return { uri, params, user: caller.user, grants: caller.grants, runLocal: run('local'), runRoot: run('root') };
}
