/** Puts parts of grants into the document of grants.yaml and takes them out again, leaving everything else as it stands. */
import { isMap, isScalar, isSeq, type Document, type YAMLMap, type YAMLSeq } from 'yaml';
import type { GrantPart, GrantTarget } from './grant-words.ts';
import { mapAt } from './edit.ts';
import { CliError, EXIT } from '../exit.ts';

/** A value in the inline form, as grants are usually written. */
function inline(document: Document, value: unknown): unknown {
  return document.createNode(value, { flow: true });
}

function plain(document: Document, node: unknown): string {
  return JSON.stringify((node as { toJS?: (document: Document) => unknown }).toJS?.(document) ?? node);
}

function addItems(document: Document, list: YAMLSeq, values: readonly unknown[]): void {
  for (const value of values) {
    const there = list.items.some((item) => plain(document, item) === JSON.stringify(value));
    if (!there) list.add(inline(document, value));
  }
}

/** Adds a part to a grant: lists grow by what they lack, switches are set. */
function addPart(document: Document, map: YAMLMap, part: GrantPart): void {
  for (const [key, value] of Object.entries(part)) {
    const there = map.get(key, true);
    if (Array.isArray(value) && isSeq(there)) addItems(document, there, value);
    else if (!Array.isArray(value) && typeof value === 'object' && isMap(there)) addPart(document, there, value as GrantPart);
    else if (typeof value === 'boolean' && isScalar(there)) there.value = value;
    else map.set(key, inline(document, value));
  }
}

/** Grants a tool, or more of it. A new grant is allowed unless the part says otherwise. */
export function addGrant(document: Document, user: string, tool: string, part: GrantPart): void {
  const tools = mapAt(document, ['users', user, 'tools']);
  const grant = tools.get(tool, true);
  if (isMap(grant)) addPart(document, grant, { allowed: true, ...part });
  else tools.set(tool, inline(document, { allowed: true, ...part }));
}

/** Lets a user read more objects of a resource scheme as root. */
export function addResources(document: Document, user: string, scheme: string, entries: readonly string[]): void {
  const resources = mapAt(document, ['users', user, 'resources']);
  const list = resources.get(scheme, true);
  if (isSeq(list)) addItems(document, list, entries);
  else resources.set(scheme, inline(document, entries));
}

function missing(what: string): CliError {
  return new CliError(EXIT.failed, `${what}: not there`);
}

/** Takes values out of a list. A list that becomes empty stays: without it some grants would permit everything. */
function removeItems(document: Document, list: YAMLSeq, values: readonly unknown[], name: string): void {
  for (const value of values) {
    const at = list.items.findIndex((item) => plain(document, item) === JSON.stringify(value));
    if (at < 0) throw missing(`${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
    list.delete(at);
  }
}

function removePart(document: Document, map: YAMLMap, part: GrantPart, prefix = ''): void {
  for (const [key, value] of Object.entries(part)) {
    const there = map.get(key, true);
    const name = `${prefix}${key}`;
    if (Array.isArray(value) && isSeq(there)) removeItems(document, there, value, name);
    else if (!Array.isArray(value) && typeof value === 'object' && isMap(there)) {
      removePart(document, there, value as GrantPart, `${name}.`);
      if (there.items.length === 0 && prefix !== '') map.delete(key);
    } else if (typeof value === 'boolean' && isScalar(there) && there.value === value) map.delete(key);
    else throw missing(name);
  }
}

/** Takes a grant away, or the given parts of it. */
export function removeGrant(document: Document, user: string, target: GrantTarget, part: GrantPart | readonly string[]): void {
  const path = ['users', user, target.kind, target.name];
  const there: unknown = document.getIn(path, true);
  if (there === undefined) throw missing(`grant of ${user} for ${target.name}`);
  const values = Array.isArray(part) ? (part as readonly string[]) : undefined;
  if (values !== undefined && values.length > 0 && isSeq(there)) removeItems(document, there, values, target.name);
  else if (values === undefined && Object.keys(part).length > 0 && isMap(there)) removePart(document, there, part as GrantPart);
  else document.deleteIn(path);
}
