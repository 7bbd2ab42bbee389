/** For unit tests alone: a small catalogue whose operations do what a test tells them to. */
import { StewardError } from '@steward/shared/errors.ts';
import { operation } from '@steward/shared/ops/operation.ts';
import type { Catalogue } from '../assembly.ts';
import type { ResourceContext } from '../resources/resource.ts';
import { tool } from '../tools/tool.ts';

type Anything = Readonly<Record<string, unknown>>;

/** What the fake operations do; tests replace members. */
export interface Deeds {
  /** Behind files/list, which takes any path. */
  list: (args: Anything, signal: AbortSignal) => unknown;
  /** Behind memory/usage, which takes nothing. */
  usage: (signal: AbortSignal) => unknown;
  /** What there is to choose from for `{path}` of `test:///{path}/{view}`. */
  choose: (context: ResourceContext) => Promise<readonly string[]>;
  /** Behind `test://resource`. */
  read: (context: ResourceContext) => unknown;
}

const object = { type: 'object', properties: {}, required: [], additionalProperties: true } as const;

function usageTool(deeds: Deeds) {
  return tool({
    name: 'memory/usage',
    title: 'Usage',
    description: 'Usage.',
    formats: true,
    human: true,
    op: operation<Anything, unknown>({
      name: 'memory/usage',
      args: { type: 'object', properties: { detailed: { type: 'boolean' } }, required: [], additionalProperties: false },
      kind: 'value',
      result: object,
      where: 'loop',
      run: (_args, { signal }) => Promise.try(() => deeds.usage(signal)),
    }),
    text: ({ result }) => ({ text: String(result) }),
  });
}

function listTool(deeds: Deeds) {
  return tool({
    name: 'files/list',
    title: 'List',
    description: 'List.',
    formats: true,
    human: false,
    op: operation<Anything, unknown, unknown>({
      name: 'files/list',
      args: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'absolute' },
          count: { type: 'integer', minimum: 1, description: '0=none' },
          sort: { type: 'string', enum: ['name', 'size'] },
        },
        required: ['path'],
        additionalProperties: false,
      },
      kind: 'records',
      result: object,
      where: 'loop',
      async run(args, context) {
        const records = (await deeds.list(args, context.signal)) as Iterable<unknown>;
        for (const record of records) await context.emit(record);
        return {};
      },
    }),
    text: (outcome) => ({ text: lines(outcome.records()) }),
  });
}

const create = tool({
  name: 'files/create',
  title: 'Create',
  description: 'Create.',
  formats: false,
  human: false,
  emptyIsValue: ['content'],
  extra: { content: { type: 'string' } },
  op: operation<Anything, unknown>({
    name: 'files/create',
    args: {
      type: 'object',
      properties: { path: { type: 'string' }, if_sha256: { type: 'string' }, dry_run: { type: 'boolean' } },
      required: ['path'],
      additionalProperties: false,
    },
    kind: 'value',
    result: object,
    upload: 'content',
    where: 'loop',
    run: (_args, { upload }) => Promise.resolve({ size: upload?.size, sha256: upload?.sha256 }),
  }),
  text: ({ result }) => ({ text: JSON.stringify(result), meta: { 'steward/sha256': 'x' } }),
});

const reload = tool({
  name: 'daemon/reload-config',
  title: 'Reload',
  description: 'Reload.',
  formats: false,
  human: false,
  op: operation<Anything, unknown>({
    name: 'daemon/reload-config',
    args: { type: 'object', properties: {}, required: [], additionalProperties: false },
    kind: 'value',
    result: object,
    where: 'loop',
    run: () => Promise.reject(new StewardError('broker_unavailable')),
  }),
  text: ({ result }) => ({ text: JSON.stringify(result) }),
});

/** Catalogue entries with the names, and so the facts, of real tools. */
export function testCatalogue(deeds: Deeds): Catalogue {
  const entry = {
    name: 'Test',
    description: 'Test.',
    mimeType: 'text/plain',
    group: 'test',
    verb: 'get',
    read: async (context: ResourceContext) => ({ mimeType: 'text/plain', text: String(await deeds.read(context)) }),
  };
  const resource = { ...entry, uri: 'test://resource' };
  const find: Catalogue['find'] = (uri) => {
    if (decodeURIComponent(uri).includes('\0')) throw new URIError('NUL');
    return uri === resource.uri ? { resource, params: {} } : undefined;
  };
  const template = {
    ...entry,
    uriTemplate: 'test:///{path}/{view}',
    verb: 'cat',
    complete: { path: (context: ResourceContext) => deeds.choose(context) },
  };
  return { tools: [listTool(deeds), create, usageTool(deeds), reload], resources: [resource], templates: [template], find };
}

async function* lines(records: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const record of records) yield String(record);
}
