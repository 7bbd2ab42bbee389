/**
 * completion/complete: values for the placeholders of templates. A template says what there is to choose from; the choice and its
 * bounds are made here. Nobody is shown what they could not read.
 */
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import type { Answer, MethodCall } from '../rpc/dispatcher.ts';
import { invalidParams } from '../rpc/errors.ts';
import { Runner, type RunnerServices } from '../tools/runner.ts';
import { contextOf } from './read.ts';
import type { ResourceTemplate } from './resource.ts';

export interface CompleteServices extends RunnerServices {
  readonly templates: readonly ResourceTemplate[];
  readonly config: () => DaemonConfig;
}

/** Values in one answer, by the protocol. */
const MAX_VALUES = 100;

/** Serves one completion/complete. Rejects with -32602 for a reference or an argument that is unknown. */
export async function complete(services: CompleteServices, call: MethodCall): Promise<Answer> {
  const ref = membersOf(call.params['ref']);
  const argument = membersOf(call.params['argument']);
  const { name, value } = argument;
  if (ref['type'] !== 'ref/resource' || typeof name !== 'string' || typeof value !== 'string') throw invalidParams();
  const template = services.templates.find(({ uriTemplate }) => uriTemplate === ref['uri']);
  if (template?.uriTemplate.includes(`{${name}}`) !== true) throw invalidParams('no such template or placeholder');
  const values = (await candidates(services, call, template, name)).filter((one) => one.startsWith(value));
  const shown = values.slice(0, MAX_VALUES);
  const completion = { values: shown, total: values.length, hasMore: values.length > shown.length };
  return { result: { completion }, weight: 0, release: () => undefined };
}

async function candidates(
  services: CompleteServices,
  call: MethodCall,
  template: ResourceTemplate,
  name: string,
): Promise<readonly string[]> {
  const list = template.complete?.[name];
  if (list === undefined) return [];
  const giveBack = await call.turn();
  const { caller, request, signal } = call;
  const config = services.config();
  const runner = new Runner(services, { caller, request, signal, config, seconds: config.limits.timeout_seconds });
  try {
    return [...new Set(await list(contextOf(call, runner, template.uriTemplate, given(call.params['context']))))];
  } finally {
    runner.close();
    giveBack();
  }
}

/** The other placeholders as far as the client has them (`context.arguments`). */
function given(context: unknown): Readonly<Record<string, string>> {
  const others = Object.entries(membersOf(membersOf(context)['arguments']));
  return Object.fromEntries(others.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
