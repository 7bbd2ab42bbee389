/**
 * grants.yaml: what each user may do as root. Read by the broker (and stewardctl) alone. What is not written is not granted; a
 * key that is absent stays absent, because for some lists that means something else than an empty one.
 */
import { EXTRA_GRANTS, isToolName, RESOURCE_SCHEMES, toolFacts, type ResourceScheme } from '../catalogue/facts.ts';
import { ROOT_ONLY, type AccountUids } from './accounts.ts';
import { fileVersion, mustBeTool } from './daemon.ts';
import { grantFields, REQUIRED_LISTS } from './grant-keys.ts';
import { bool, deepFreeze, dictionary, fields, Item, list, map, mapping, text, type Reader } from './reader.ts';
import { glob, pathPrefix } from './scalars.ts';
import type { Grant, UserEntry, UserGrants } from './types.ts';
import { USER_NAME } from './users.ts';
import { parseYaml } from './yaml.ts';

export interface ParsedGrants {
  /** By user name; without a prototype. */
  readonly grants: Readonly<Record<string, UserGrants>>;
  /** `<file>:<line>: ...` of what is allowed to stand there and yet is probably a mistake. */
  readonly warnings: readonly string[];
}

/** Collects `<file>:<line>: <text>`. */
type Warn = (item: Item, text: string) => void;

const isExtra = (name: string): boolean => EXTRA_GRANTS.some((extra) => extra === name);

function grant(accounts: AccountUids, warn: Warn): Reader<Grant> {
  return (item) => {
    const known = isToolName(item.name) ? grantFields(item.name, accounts) : { allowed: bool };
    const read: { readonly allowed?: unknown } = fields(item, known);
    const whole = { ...read, allowed: read.allowed === true, line: item.line };
    if (whole.allowed && isToolName(item.name)) {
      for (const key of toolFacts(item.name).restrictions) {
        const lost = REQUIRED_LISTS[key];
        if (lost !== undefined && !Object.hasOwn(read, key)) {
          warn(item, `${item.name} is allowed but has no ${key}: list, so it permits ${lost}`);
        }
      }
    }
    return whole;
  };
}

/** `*` and the empty string mean every object; kept as `*`. */
function everyOr(reader: Reader<string>): Reader<string> {
  return (item) => {
    const value = text(item);
    return value === '' || value === '*' ? '*' : reader(item);
  };
}

const onlyEvery = everyOr((item) => item.mustBe('"*"'));

function scheme(name: ResourceScheme): Reader<readonly string[]> {
  if (name === 'file://') return list(everyOr(pathPrefix));
  return list(name === 'devices://dmi' ? onlyEvery : everyOr(glob));
}

function resources(item: Item): UserGrants['resources'] {
  const known = Object.fromEntries(RESOURCE_SCHEMES.map((name) => [name, scheme(name)]));
  return dictionary(Object.entries(fields(item, known)) as [string, readonly string[]][]);
}

function userGrants(accounts: AccountUids, warn: Warn): Reader<UserGrants> {
  const toolName = (item: Item): void => (isExtra(item.name) ? undefined : mustBeTool(item));
  const tools = map(mapping(toolName, grant(accounts, warn)), (read) => dictionary(read));
  return (item) => ({ tools: dictionary([]), resources: dictionary([]), ...fields(item, { tools, resources }) });
}

/**
 * Reads grants.yaml. With `users`, grants of names that are not among them are pointed at. `accounts` tells which accounts have
 * uid 0. Throws ConfigError.
 */
export function parseGrants(
  source: string,
  file: string,
  users?: readonly UserEntry[],
  accounts: AccountUids = ROOT_ONLY,
): ParsedGrants {
  const warnings: string[] = [];
  const warn: Warn = (item, said) => warnings.push(`${item.file}:${item.line}: ${said}`);
  const known = users === undefined ? undefined : new Set(users.map((user) => user.name));
  const name = (item: Item): void => {
    if (!USER_NAME.test(item.name)) item.fail(`"${item.name}" is not a user name`);
    if (known?.has(item.name) === false) warn(item, `user "${item.name}" is not in users.yaml, so these grants have no effect`);
  };
  const everybody = map(mapping(name, userGrants(accounts, warn)), (read) => dictionary(read));
  const root = new Item(parseYaml(source, file), 'the file', file);
  const read = fields(root, { version: fileVersion, users: everybody }, ['version', 'users']);
  return { grants: deepFreeze(read.users ?? dictionary([])), warnings };
}
