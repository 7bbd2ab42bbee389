/** What the revision without sessions adds to every result: that it is complete, who made it, and how long it may be kept. */
import type { JsonNode } from './json-stream.ts';
import { SERVER_INFO } from './methods.ts';

interface Caching {
  /** Milliseconds for which the result may be taken as fresh. */
  readonly ttlMs: number;
  /** `private`: it depends on who asked. */
  readonly cacheScope: 'public' | 'private';
}

/** By method; results of others are not kept. */
const CACHING: Readonly<Record<string, Caching>> = {
  'server/discover': { ttlMs: 3_600_000, cacheScope: 'public' },
  'tools/list': { ttlMs: 60_000, cacheScope: 'private' },
  'resources/list': { ttlMs: 3_600_000, cacheScope: 'public' },
  'resources/templates/list': { ttlMs: 3_600_000, cacheScope: 'public' },
  'resources/read': { ttlMs: 0, cacheScope: 'private' },
};

type JsonObject = Readonly<Record<string, JsonNode | undefined>>;

/** The result of `method` with what that revision requires. Results are objects in every revision. */
export function modernResult(method: string, result: JsonNode): JsonNode {
  const own = result as JsonObject;
  const _meta = { ...(own['_meta'] as JsonObject | undefined), 'io.modelcontextprotocol/serverInfo': SERVER_INFO };
  const caching = Object.hasOwn(CACHING, method) ? CACHING[method] : undefined;
  return { ...own, resultType: 'complete', ...caching, _meta };
}
