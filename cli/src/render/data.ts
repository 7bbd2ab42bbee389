/**
 * Turns the JSON of an answer into rows and columns. What a document means is not known here: any list of objects is a table,
 * any object is a list of its members.
 */
import { isObject, type JsonObject } from '../grammar/argument.ts';

/** The document in an answer: JSON, or JSON Lines as a list; undefined for any other text. */
export function documentIn(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // Not one document; perhaps one a line.
  }
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length === 0 || !lines.every((line) => line.startsWith('{'))) return undefined;
  try {
    return { value: lines.map((line) => JSON.parse(line) as unknown) };
  } catch {
    return undefined;
  }
}

/**
 * The list in a document: itself, or the only member of an object that is a list of objects (`{"entries": [...]}`). Nested
 * lists (`children`) follow their parent.
 */
export function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value.flatMap(withChildren);
  if (!isObject(value)) return undefined;
  const lists = Object.values(value).filter((member): member is unknown[] => Array.isArray(member) && member.some(isObject));
  const [only] = lists;
  return lists.length === 1 && only !== undefined ? only.flatMap(withChildren) : undefined;
}

function withChildren(item: unknown): unknown[] {
  if (!isObject(item) || !Array.isArray(item['children'])) return [item];
  const { children, ...own } = item;
  return [own, ...(children as unknown[]).flatMap(withChildren)];
}

/** One value in a cell: text as it is, lists of plain values joined, anything deeper as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(',');
  return JSON.stringify(value);
}

/** Members of an object as rows; members of members are named with a dot. */
export function flatten(value: JsonObject, prefix = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([key, member]): [string, unknown][] =>
    isObject(member) && Object.keys(member).length > 0 ? flatten(member, `${prefix}${key}.`) : [[prefix + key, member]],
  );
}

const NAME_KEYS = ['name', 'path', 'username', 'uri', 'device', 'id', 'pid', 'key'];

/** What one item of a list is called: its name, path or id, else its first plain member. */
export function nameOf(item: unknown): string {
  if (!isObject(item)) return cellText(item);
  const key = NAME_KEYS.find((candidate) => ['string', 'number'].includes(typeof item[candidate]));
  const plain = Object.values(item).find((member) => typeof member === 'string' || typeof member === 'number');
  return cellText(key === undefined ? plain : item[key]);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Bytes in human units: powers of 1024, one decimal, as the daemon writes them (`20.0 KiB`). */
export function humanBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ''}`;
}

/** Whether a member of that name holds a number of bytes. */
export function isSize(key: string): boolean {
  return /(^|_)(size|bytes)$/.test(key);
}
