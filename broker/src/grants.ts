/**
 * Whether a user may use a row at all: the first half of the decision, made from the grants in force alone. The second half, on
 * which object, is the row's restriction.
 */
import type { ToolName } from '@steward/shared/catalogue/facts.ts';
import type { ConfigSnapshot, Grant, UserGrants } from '@steward/shared/config/types.ts';
import { NO_GRANTS } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import type { GrantRule, Row } from '@steward/shared/catalogue/row.ts';

export type Args = Readonly<Record<string, unknown>>;

/** A grant that holds for a call, and how a record names it. */
export interface Granted {
  readonly grant: Grant;
  /** The tool's name, or the URI that a resource is read by. */
  readonly tool: string;
  /** For instance `grants.yaml:12`. */
  readonly source: string;
}

export function grantsOf(config: ConfigSnapshot, user: string): UserGrants {
  return Object.hasOwn(config.grants, user) ? (config.grants[user] ?? NO_GRANTS) : NO_GRANTS;
}

/** True when this call would change the host; a dry run would not. */
export function changesHost(row: Row, args: Args, uploads: boolean): boolean {
  return row.effect === 'write' && args['dry_run'] !== true && !onlyReads(row, args, uploads);
}

/** True when this call only looks. */
export function onlyReads(row: Row, args: Args, uploads: boolean): boolean {
  if (row.effect === 'read' || row.writesWith === undefined) return row.effect === 'read';
  if (row.writesWith === row.op.upload) return !uploads;
  const value = args[row.writesWith];
  return value === undefined || value === '';
}

/** The tool whose grant and time limit are those of a row. */
export function toolOf(rule: GrantRule): ToolName | undefined {
  if ('tool' in rule) return rule.tool;
  return 'ownOrTool' in rule ? rule.ownOrTool : undefined;
}

/** The grant for a call. Throws the refusal that the row has for users without one. */
export function grantFor(row: Row, user: string, config: ConfigSnapshot, args: Args, uploads: boolean): Granted {
  const rule = row.grant;
  if ('everyone' in rule) return { grant: { allowed: true, line: 0 }, tool: row.op.name, source: 'every user' };
  const grants = grantsOf(config, user);
  if ('resource' in rule) return resourceGrant(rule, user, grants, args);
  const tool = 'tool' in rule ? rule.tool : 'extra' in rule ? rule.extra : rule.ownOrTool;
  const grant = Object.hasOwn(grants.tools, tool) ? grants.tools[tool] : undefined;
  if (grant?.allowed === true) return { grant, tool, source: `grants.yaml:${grant.line}` };
  if ('ownOrTool' in rule) return { grant: { allowed: false, line: 0 }, tool, source: 'no grant' };
  const params = { user, tool, key: textOf(args['key']) };
  const looks = row.effect !== 'read' && onlyReads(row, args, uploads);
  throw new StewardError(looks ? 'not_granted' : (rule.refusal ?? 'not_granted'), params);
}

function resourceGrant(rule: Extract<GrantRule, { resource: unknown }>, user: string, grants: UserGrants, args: Args): Granted {
  const pattern = rule.uri ?? `${rule.resource}{path}`;
  const uri = pattern.replace(/\{(\w+)\}/g, (_place, name: string) => textOf(args[name]));
  const entries = Object.hasOwn(grants.resources, rule.resource) ? grants.resources[rule.resource] : undefined;
  if (entries === undefined) throw new StewardError(rule.refusal ?? 'resource_not_granted', { user, uri, scheme: rule.resource });
  const all = (everything: string): string[] => entries.map((entry) => (entry === '*' || entry === '' ? everything : entry));
  const grant = { allowed: true, paths: all('/'), units: all('*'), owners: all('*'), containers: all('*'), line: 0 };
  return { grant, tool: uri, source: `resources ${rule.resource}` };
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value.toWellFormed() : '';
}
