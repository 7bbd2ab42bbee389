/**
 * Calls of every tool that succeed or fail for a reason of the host's, made from what tools/list says, so that a new tool or
 * argument is tried without being written down again. Test only.
 */
import type { SseClient } from './sse-client.ts';

export type Args = Readonly<Record<string, unknown>>;

interface ArgumentSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly { readonly type: string }[];
}

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties: Readonly<Record<string, ArgumentSchema>>; readonly required: readonly string[] };
}

export interface Call {
  readonly tool: string;
  readonly args: Args;
}

/** Arguments that take one of a few words refuse all others alike: only short texts are tried on them. */
const MAX_FOR_ENUM = 4;

export async function listedTools(client: SseClient): Promise<ListedTool[]> {
  const { result } = await client.rpc('tools/list');
  return result?.['tools'] as ListedTool[];
}

/** The call as it is, and as root where the tool takes that. */
export function asBoth({ name, inputSchema }: ListedTool, args: Args): Call[] {
  const plain = { tool: name, args };
  return 'privileged' in inputSchema.properties ? [plain, { tool: name, args: { ...args, privileged: true } }] : [plain];
}

/**
 * Every argument of a tool that can hold text, with each of `texts` in it, beside arguments that are good: as it is, as item of a
 * list, as name and as value of an object, and as the last part of a path below `directory`.
 */
export function callsWith(tool: ListedTool, good: Args, texts: readonly string[], directory: string): Call[] {
  return Object.entries(tool.inputSchema.properties).flatMap(([name, schema]) =>
    texts.flatMap((text) => valuesOf(name, schema, text, directory)).flatMap((value) => asBoth(tool, { ...good, [name]: value })),
  );
}

function valuesOf(name: string, schema: ArgumentSchema, text: string, directory: string): unknown[] {
  const types = schema.anyOf?.map(({ type }) => type) ?? [schema.type];
  if (schema.enum !== undefined && text.length > MAX_FOR_ENUM) return [];
  if (types.includes('array')) return [[text]];
  if (types.includes('object')) return [{ [text]: 'value' }, { 'X-Name': text }];
  if (!types.includes('string')) return [];
  return name === 'path' ? [text, `${directory}/${text}`] : [text];
}
