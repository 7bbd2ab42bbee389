/**
 * The tool list, made as JSON once when the process starts: a listing then only joins strings. Trusted with nothing; a call is
 * checked whether or not its tool was listed.
 */
import { toolFacts } from '@steward/shared/catalogue/facts.ts';
import type { DaemonConfig, UserGrants } from '@steward/shared/config/types.ts';
import { ReadyJson } from '../rpc/json-stream.ts';
import { underscored } from './names.ts';
import { parametersOf } from './parameters.ts';
import type { AnyTool } from './tool.ts';

export type NameStyle = DaemonConfig['catalogue']['names'];

export interface ListingOptions {
  readonly names: NameStyle;
  readonly show: DaemonConfig['catalogue']['show'];
}

const ROOT_NOTE = ' Root is granted to you.';

/** One entry in its two wordings. */
interface Entry {
  readonly tool: AnyTool;
  readonly plain: string;
  readonly granted: string;
}

export class ToolListing {
  readonly #entries: Readonly<Record<NameStyle, readonly Entry[]>>;

  constructor(tools: readonly AnyTool[]) {
    const entries = (style: NameStyle): Entry[] =>
      tools.map((tool) => ({ tool, plain: entryText(tool, style, ''), granted: entryText(tool, style, ROOT_NOTE) }));
    this.#entries = { slash: entries('slash'), underscore: entries('underscore') };
  }

  /** The `tools` array for a caller, in the order of the catalogue. */
  forCaller(grants: UserGrants, { names, show }: ListingOptions): ReadyJson {
    const texts: string[] = [];
    for (const { tool, plain, granted } of this.#entries[names]) {
      const allowed = isGranted(grants, tool.name);
      const { privilege } = toolFacts(tool.name);
      if (show === 'authorized' && privilege === 'always' && !allowed) continue;
      texts.push(allowed && (privilege === 'optional' || privilege === 'own') ? granted : plain);
    }
    return new ReadyJson(`[${texts.join(',')}]`);
  }
}

/** Whether the user holds `allowed: true` for the tool. For words alone: the broker decides what is permitted. */
export function isGranted(grants: UserGrants, tool: string): boolean {
  return Object.hasOwn(grants.tools, tool) && grants.tools[tool]?.allowed === true;
}

function entryText(tool: AnyTool, style: NameStyle, note: string): string {
  const { group, verb, hints } = toolFacts(tool.name);
  const parameters = parametersOf(tool).filter(({ listed }) => listed);
  return JSON.stringify({
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
  });
}

/** What clients see of a schema: bounds that guard the broker's memory are not rules that a caller can break by mistake. */
function shownSchema(schema: object): object {
  const internal = new Set(['maxLength', 'minLength', 'pattern', 'maxItems', 'minItems']);
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !internal.has(key)));
}
