/**
 * The tool list, made as JSON once when the process starts: a listing then only joins strings. Trusted with nothing; a call is
 * checked whether or not its tool was listed.
 */
import { toolFacts, type Privilege } from '@steward/shared/catalogue/facts.ts';
import type { DaemonConfig, UserGrants } from '@steward/shared/config/types.ts';
import { ReadyJson } from '../rpc/json-stream.ts';
import { underscored } from './names.ts';
import { parametersOf } from './parameters.ts';
import type { AnyTool } from './tool.ts';

export type NameStyle = DaemonConfig['catalogue']['names'];

export interface ListingOptions {
  readonly names: NameStyle;
  readonly show: DaemonConfig['catalogue']['show'];
  /** With what came after the first revision: copies of our own members in `_meta`, and schemas of results. */
  readonly extended?: boolean;
}

/** Who reads the list. */
export interface Reader {
  readonly grants: UserGrants;
  /** Has an OS account. */
  readonly account: boolean;
}

const ROOT_NOTE = ' Root is granted to you.';

/** One entry in its two wordings. */
interface Entry {
  readonly tool: AnyTool;
  readonly plain: string;
  readonly granted: string;
}

type Entries = Readonly<Record<NameStyle, readonly Entry[]>>;

export class ToolListing {
  readonly #first: Entries;
  readonly #extended: Entries;

  constructor(tools: readonly AnyTool[]) {
    this.#first = entriesOf(tools, false);
    this.#extended = entriesOf(tools, true);
  }

  /** The `tools` array for a caller, in the order of the catalogue. */
  forCaller(caller: Reader, { names, show, extended = false }: ListingOptions): ReadyJson {
    const texts: string[] = [];
    for (const { tool, plain, granted } of (extended ? this.#extended : this.#first)[names]) {
      const allowed = isGranted(caller.grants, tool.name);
      const { privilege } = toolFacts(tool.name);
      if (show === 'authorized' && !allowed && !isFree(privilege, caller)) continue;
      texts.push(allowed && (privilege === 'optional' || privilege === 'own') ? granted : plain);
    }
    return new ReadyJson(`[${texts.join(',')}]`);
  }
}

/** Whether a tool can be called without a grant: one that always works as root cannot, the own crontab needs an account. */
function isFree(privilege: Privilege, { account }: Reader): boolean {
  return privilege === 'own' ? account : privilege !== 'always';
}

/** Whether the user holds `allowed: true` for the tool. For words alone: the broker decides what is permitted. */
export function isGranted(grants: UserGrants, tool: string): boolean {
  return Object.hasOwn(grants.tools, tool) && grants.tools[tool]?.allowed === true;
}

/** Members of ours that client libraries drop, where they keep them. */
export function entryMeta(group: string, verb: string): { 'steward/tools_group': string; 'steward/cli_verb': string } {
  return { 'steward/tools_group': group, 'steward/cli_verb': verb };
}

function entriesOf(tools: readonly AnyTool[], extended: boolean): Entries {
  const entries = (style: NameStyle): Entry[] =>
    tools.map((tool) => ({
      tool,
      plain: JSON.stringify(entryOf(tool, style, '', extended)),
      granted: JSON.stringify(entryOf(tool, style, ROOT_NOTE, extended)),
    }));
  return { slash: entries('slash'), underscore: entries('underscore') };
}

function entryOf(tool: AnyTool, style: NameStyle, note: string, extended: boolean): object {
  const { group, verb, hints } = toolFacts(tool.name);
  const parameters = parametersOf(tool).filter(({ listed }) => listed);
  return {
    name: style === 'underscore' ? underscored(tool.name) : tool.name,
    description: tool.description + note,
    annotations: {
      title: tool.title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, shownSchema(schema)])),
      required: parameters.filter((parameter) => parameter.required).map(({ name }) => name),
    },
    tools_group: group,
    cli_verb: verb,
    ...(extended ? { outputSchema: tool.outputSchema, _meta: entryMeta(group, verb) } : {}),
  };
}

/** What clients see of a schema: bounds that guard the broker's memory are not rules that a caller can break by mistake. */
function shownSchema(schema: object): object {
  const internal = new Set(['maxLength', 'minLength', 'pattern', 'maxItems', 'minItems']);
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !internal.has(key)));
}
