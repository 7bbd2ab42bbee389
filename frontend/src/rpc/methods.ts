/** The methods that every endpoint has: the handshake, ping and the lists. Calls and reads have files of their own. */
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import type { ResourceEntry } from '../resources/resource.ts';
import type { ToolListing } from '../tools/listing.ts';
import { VERSION } from '../version.ts';
import type { MethodCall, MethodEntry } from './dispatcher.ts';
import { invalidParams } from './errors.ts';
import { ReadyJson, type JsonNode } from './json-stream.ts';

/** The revision that the SSE endpoint speaks, whatever a client asks for. */
export const SSE_VERSION = '2024-11-05';

export const SERVER_INFO = { name: 'steward', version: VERSION } as const;

/** Resources as they are listed. */
export interface ResourceLists {
  readonly fixed: readonly (ResourceEntry & { readonly uri: string })[];
  readonly templates: readonly (ResourceEntry & { readonly uriTemplate: string })[];
}

export interface MethodServices {
  readonly listing: ToolListing;
  readonly resources: ResourceLists;
  readonly config: () => DaemonConfig;
  readonly callTool: MethodEntry['serve'];
  readonly readResource: MethodEntry['serve'];
}

export function makeMethods(services: MethodServices): ReadonlyMap<string, MethodEntry> {
  const resources = { resources: listed(services.resources.fixed) };
  const templates = { resourceTemplates: listed(services.resources.templates) };
  return new Map<string, MethodEntry>([
    ['initialize', { serve: initialize }],
    ['ping', { serve: () => ({}) }],
    ['tools/list', { serve: (call) => listTools(services, call) }],
    ['tools/call', { serve: services.callTool, chargesItself: true }],
    ['resources/list', { serve: () => resources }],
    ['resources/templates/list', { serve: () => templates }],
    ['resources/read', { serve: services.readResource }],
  ]);
}

/** Answers in the session's version; a client that cannot speak it says goodbye. */
function initialize({ params, version }: MethodCall): JsonNode {
  if (typeof params['protocolVersion'] !== 'string') throw invalidParams();
  return { protocolVersion: version, capabilities: { resources: {}, tools: {} }, serverInfo: SERVER_INFO };
}

/** The whole list at once: a cursor was never given and is ignored. */
function listTools({ listing, config }: MethodServices, { caller, names }: MethodCall): JsonNode {
  const { catalogue } = config();
  return { tools: listing.forCaller(caller.grants, { names: names ?? catalogue.names, show: catalogue.show }) };
}

/** The list as JSON, made once. */
function listed(entries: readonly (ResourceEntry & { readonly uri?: string; readonly uriTemplate?: string })[]): ReadyJson {
  return new ReadyJson(
    JSON.stringify(
      entries.map(({ uri, uriTemplate, name, description, mimeType, group, verb }) => ({
        uri,
        uriTemplate,
        name,
        description,
        mimeType,
        tools_group: group,
        cli_verb: verb,
      })),
    ),
  );
}
