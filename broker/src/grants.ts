/**
 * Whether a user may use a row at all: the first half of the decision, made from the grants in force alone. The second half, on
 * which object, is the row's restriction.
 */
import type { ConfigSnapshot, Grant, UserGrants } from '@steward/shared/config/types.ts';
import { NO_GRANTS } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import type { Row } from './row.ts';

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
export function changesHost(row: Row, args: Args): boolean {
  return row.effect === 'write' && args['dry_run'] !== true && !onlyReads(row, args);
}

/** True when this call only looks. */
export function onlyReads(row: Row, args: Args): boolean {
  if (row.effect === 'read' || row.writesWith === undefined) return row.effect === 'read';
  const value = args[row.writesWith];
  return value === undefined || value === '';
}

/** The grant for a call. Throws the refusal that the row has for users without one. */
export function grantFor(row: Row, user: string, config: ConfigSnapshot, args: Args): Granted {
  const rule = row.grant;
  if ('everyone' in rule) return { grant: { allowed: true, line: 0 }, tool: row.op.name, source: 'every user' };
  const grants = grantsOf(config, user);
  if ('resource' in rule) {
    const uri = `${rule.resource}${textOf(args['path'])}`;
    const entries = Object.hasOwn(grants.resources, rule.resource) ? grants.resources[rule.resource] : undefined;
    if (entries === undefined) throw new StewardError('resource_not_granted', { user, uri });
    return { grant: { allowed: true, paths: entries.map(everything), line: 0 }, tool: uri, source: `resources ${rule.resource}` };
  }
  const grant = Object.hasOwn(grants.tools, rule.tool) ? grants.tools[rule.tool] : undefined;
  if (grant?.allowed === true) return { grant, tool: rule.tool, source: `grants.yaml:${grant.line}` };
  const params = { user, tool: rule.tool, key: textOf(args['key']) };
  throw new StewardError(onlyReads(row, args) ? 'not_granted' : (rule.refusal ?? 'not_granted'), params);
}

/** Resource lists write "every object" as `*` or as nothing. */
const everything = (entry: string): string => (entry === '*' || entry === '' ? '/' : entry);

const textOf = (value: unknown): string => (typeof value === 'string' ? value.toWellFormed() : '');
