/**
 * Grants as they are written on a command line: `paths=/var/log,/etc/nginx`, `sysctl.write_keys=vm.*`, `users.www-data=edit`,
 * `commands='nginx -t'`. Only the shape is judged here; whether the values are right is for the strict loader.
 */
import { EXTRA_GRANTS, isToolName, RESOURCE_SCHEMES, toolFacts, TOOL_FACTS } from '@steward/shared/catalogue/facts.ts';
import { usageError } from '../exit.ts';
import { hint } from '../nearest.ts';

/** A part of a grant: lists, switches, and maps of these. */
export interface GrantPart {
  readonly [key: string]: boolean | readonly (string | readonly string[])[] | GrantPart;
}

/** What a grant is about: a tool, or a resource scheme. */
export interface GrantTarget {
  readonly kind: 'tools' | 'resources';
  readonly name: string;
}

/** Reads the name of a tool (or `audit/watch`) or of a resource scheme. */
export function readTarget(name: string): GrantTarget {
  if (isToolName(name) || EXTRA_GRANTS.some((extra) => extra === name)) return { kind: 'tools', name };
  if (RESOURCE_SCHEMES.some((scheme) => scheme === name)) return { kind: 'resources', name };
  const known = [...Object.keys(TOOL_FACTS), ...EXTRA_GRANTS, ...RESOURCE_SCHEMES];
  throw usageError(`unknown tool "${name}"${hint(name, known, undefined, 'stewardctl allowlist shows what can be granted')}`);
}

function readSwitch(key: string, value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw usageError(`${key} must be true or false, got "${value}"`);
}

function readList(value: string): string[] {
  return value === '' ? [] : value.split(',');
}

/** `view`, `edit` or both, of one account's crontab. */
function readCronUser(account: string, value: string): GrantPart {
  const rights = readList(value);
  if (account === '' || rights.length === 0 || rights.some((right) => right !== 'view' && right !== 'edit')) {
    throw usageError(`write users.ACCOUNT=view or users.ACCOUNT=edit, not "users.${account}=${value}"`);
  }
  return { [account]: Object.fromEntries(rights.map((right) => [right, true])) };
}

function readKey(key: string, inner: string, value: string): GrantPart {
  switch (key) {
    case 'allowed':
    case 'setid':
      return { [key]: readSwitch(key, value) };
    case 'commands':
      return { commands: [value.split(/\s+/).filter((word) => word !== '')] };
    case 'sysctl':
      return { sysctl: { write_keys: readList(value) } };
    case 'users':
      return { users: readCronUser(inner, value) };
    case 'network':
      return { network: { [inner]: inner === 'deny_private' ? readSwitch(inner, value) : readList(value) } };
    default:
      return { [key]: readList(value) };
  }
}

/** The restriction keys of a tool, `allowed` first. */
function keysOf(tool: string): readonly string[] {
  return ['allowed', ...(isToolName(tool) ? toolFacts(tool).restrictions : [])];
}

/** Keys that are written with a second word. */
const WITH_INNER: Readonly<Record<string, string>> = {
  sysctl: 'sysctl.write_keys',
  users: 'users.ACCOUNT',
  network: 'network.allow, network.deny, network.deny_private',
};

function keysInWords(tool: string): string {
  return `keys of ${tool}: ${keysOf(tool)
    .map((key) => WITH_INNER[key] ?? key)
    .join(', ')}`;
}

function isPart(value: unknown): value is GrantPart {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Joins two parts: lists grow, maps are joined, of two switches the later counts. */
export function joinParts(one: GrantPart, other: GrantPart): GrantPart {
  const joined = Object.entries(other).map(([key, value]): [string, GrantPart[string]] => {
    const before = Object.hasOwn(one, key) ? one[key] : undefined;
    if (Array.isArray(before) && Array.isArray(value)) return [key, [...(before as string[]), ...(value as string[])]];
    return [key, isPart(before) && isPart(value) ? joinParts(before, value) : value];
  });
  return { ...one, ...Object.fromEntries(joined) };
}

/** Reads `key=value` words about a tool. */
export function readGrantWords(tool: string, words: readonly string[]): GrantPart {
  return words
    .map((word) => {
      const parts = /^([^=.]+)(?:\.([^=]+))?=(.*)$/s.exec(word);
      const key = parts?.[1] ?? word;
      if (parts === null) throw usageError(`write key=value, not "${word}" (${keysInWords(tool)})`);
      if (!keysOf(tool).includes(key)) throw usageError(`unknown key "${key}" (${keysInWords(tool)})`);
      return readKey(key, parts[2] ?? '', parts[3] ?? '');
    })
    .reduce(joinParts, {});
}

/** Reads `TOOL[:key=value,..]`; what follows a comma and is no `key=` of the tool goes on with the value before it. */
export function readGrantOption(text: string): { readonly target: GrantTarget; readonly part: GrantPart } {
  const colon = text.indexOf(':');
  const target = readTarget(colon < 0 ? text : text.slice(0, colon));
  const words: string[] = [];
  for (const piece of colon < 0 ? [] : text.slice(colon + 1).split(',')) {
    const key = /^([^=.]+)(?:\.[^=]+)?=/.exec(piece)?.[1];
    if (words.length === 0 || (key !== undefined && keysOf(target.name).includes(key))) words.push(piece);
    else words.push(`${words.pop() ?? ''},${piece}`);
  }
  return { target, part: readGrantWords(target.name, words) };
}
