/**
 * The arguments that a tool declares: those of its operation, its own, and the common ones that its facts give it. Made once per
 * tool; both the listing and the checks of a call work from it, so they cannot differ.
 */
import { toolFacts } from '@steward/shared/catalogue/facts.ts';
import type { Schema } from '@steward/shared/schema.ts';
import type { AnyTool } from './tool.ts';

export interface Parameter {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  /** Common to many tools; consumed before the operation is called unless the operation declares it too. */
  readonly common: boolean;
  /** Shown in the listing. */
  readonly listed: boolean;
}

export const FORMS = ['text', 'json', 'yaml', 'table', 'wide'] as const;

const COMMON: Readonly<Record<string, Schema>> = {
  human_readable: { type: 'boolean' },
  output_format: { type: 'string', enum: FORMS },
  privileged: { type: 'boolean' },
  dry_run: { type: 'boolean' },
};

/** Whether the tool takes `privileged`. */
export function takesPrivileged(tool: AnyTool): boolean {
  const { privilege } = toolFacts(tool.name);
  return privilege === 'optional' || privilege === 'own';
}

/** All arguments of the tool in the order of the listing, the common ones last. */
export function parametersOf(tool: AnyTool): readonly Parameter[] {
  const own = ownSchemas(tool);
  const required = new Set([...tool.op.args.required, ...(tool.required ?? [])]);
  const taken = commonOf(tool);
  return [
    ...[...own]
      .filter(([name]) => !taken.includes(name))
      .map(([name, schema]) => ({ name, schema, required: required.has(name), common: false, listed: true })),
    ...taken.map((name) => ({
      name,
      schema: own.get(name) ?? (COMMON[name] as Schema),
      required: false,
      common: true,
      listed: true,
    })),
    ...Object.entries(tool.unlisted ?? {}).map(([name, schema]) => ({
      name,
      schema: schema as Schema,
      required: false,
      common: false,
      listed: false,
    })),
  ];
}

function commonOf(tool: AnyTool): readonly string[] {
  const taken: string[] = [];
  if (tool.human) taken.push('human_readable');
  if (tool.formats) taken.push('output_format');
  if (takesPrivileged(tool)) taken.push('privileged');
  if (toolFacts(tool.name).dryRun) taken.push('dry_run');
  return taken;
}

/** The operation's arguments with the tool's own words for them; what only the tool has follows the last required one. */
function ownSchemas(tool: AnyTool): Map<string, Schema> {
  const { properties, required } = tool.op.args;
  const extra = tool.extra ?? {};
  const names = Object.keys(properties);
  const added = Object.keys(extra).filter((name) => !Object.hasOwn(properties, name));
  const after = Math.max(-1, ...required.map((name) => names.indexOf(name)));
  const ordered = [...names.slice(0, after + 1), ...added, ...names.slice(after + 1)];
  return new Map(ordered.map((name) => [name, (extra[name] ?? properties[name]) as Schema]));
}
