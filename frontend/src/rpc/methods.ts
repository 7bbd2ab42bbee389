/** The methods that every endpoint has: the handshake, ping and the lists. Calls and reads have files of their own. */
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import type { ResourceEntry } from '../resources/resource.ts';
import { entryMeta, type ToolListing } from '../tools/listing.ts';
import { VERSION } from '../version.ts';
import type { MethodCall, MethodEntry } from './dispatcher.ts';
import { invalidParams } from './errors.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { ReadyJson, type JsonNode } from './json-stream.ts';
import { MCP_VERSIONS, type Surface } from './versions.ts';

export const SERVER_INFO = { name: 'steward', version: VERSION } as const;

/** What clients of the first revision are told, and what all others are. */
const FIRST_CAPABILITIES = { resources: {}, tools: {} } as const;
const CAPABILITIES = { completions: {}, resources: {}, tools: { listChanged: true } } as const;

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
  readonly complete: MethodEntry['serve'];
}

const WITH_SESSION: readonly Surface[] = ['sse', 'legacy'];
const EXTENDED: readonly Surface[] = ['legacy', 'modern'];

export function makeMethods(services: MethodServices): ReadonlyMap<string, MethodEntry> {
  const resources = listed('resources', services.resources.fixed);
  const templates = listed('resourceTemplates', services.resources.templates);
  return new Map<string, MethodEntry>([
    ['initialize', { serve: initialize, surfaces: WITH_SESSION }],
    ['ping', { serve: () => ({}), surfaces: WITH_SESSION }],
    ['server/discover', { serve: discover, surfaces: ['modern'] }],
    ['tools/list', { serve: (call) => listTools(services, call) }],
    ['tools/call', { serve: services.callTool, chargesItself: true }],
    ['resources/list', { serve: resources }],
    ['resources/templates/list', { serve: templates }],
    ['resources/read', { serve: services.readResource }],
    ['completion/complete', { serve: services.complete, surfaces: EXTENDED }],
  ]);
}

/** Answers in the session's version; a client that cannot speak it says goodbye. */
function initialize({ params, version, surface }: MethodCall): JsonNode {
  if (typeof params['protocolVersion'] !== 'string') throw invalidParams();
  if (surface === 'sse') return { protocolVersion: version, capabilities: FIRST_CAPABILITIES, serverInfo: SERVER_INFO };
  return { protocolVersion: version, capabilities: CAPABILITIES, serverInfo: SERVER_INFO, instructions: INSTRUCTIONS };
}

/** What `initialize` says, for those who have no session. */
function discover(): JsonNode {
  return { supportedVersions: MCP_VERSIONS, capabilities: CAPABILITIES, instructions: INSTRUCTIONS };
}

/** The whole list at once: a cursor was never given and is ignored. */
function listTools({ listing, config }: MethodServices, { caller, names, surface }: MethodCall): JsonNode {
  const { catalogue } = config();
  const options = { names: names ?? catalogue.names, show: catalogue.show, extended: surface !== 'sse' };
  return { tools: listing.forCaller(caller, options) };
}

type Listed = ResourceEntry & { readonly uri?: string; readonly uriTemplate?: string };

/** A list as JSON, made once for each of its two forms. */
function listed(member: string, entries: readonly Listed[]): MethodEntry['serve'] {
  const plain = { [member]: new ReadyJson(JSON.stringify(entries.map((entry) => shown(entry, false)))) };
  const extended = { [member]: new ReadyJson(JSON.stringify(entries.map((entry) => shown(entry, true)))) };
  return ({ surface }) => (surface === 'sse' ? plain : extended);
}

function shown({ uri, uriTemplate, name, description, mimeType, group, verb }: Listed, extended: boolean): object {
  const own = { uri, uriTemplate, name, description, mimeType, tools_group: group, cli_verb: verb };
  return extended ? { ...own, _meta: entryMeta(group, verb) } : own;
}
