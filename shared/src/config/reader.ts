/**
 * Small combinators that turn configuration nodes into checked values. A reader gets an item (a node that knows its name and
 * place) and returns the value or throws ConfigError: `<file>:<line>: <reason>`. The first fault in the order of the file is the
 * one reported.
 */
import type { ConfigNode, MapNode } from './yaml.ts';
import { ConfigError } from './types.ts';

/** A node with what messages need: its name (the key, or `key[index]`), its file, and the list that collects warnings. */
export class Item {
  readonly node: ConfigNode;
  readonly name: string;
  readonly file: string;
  readonly line: number;

  constructor(node: ConfigNode, name: string, file: string, line: number = node.line) {
    this.node = node;
    this.name = name;
    this.file = file;
    this.line = line;
  }

  /** Throws `<file>:<line>: <reason>`. */
  fail(reason: string): never {
    throw new ConfigError(this.file, this.line, reason);
  }

  /** Throws `<file>:<line>: <name> must be <what>`. */
  mustBe(what: string): never {
    return this.fail(`${this.name} must be ${what}`);
  }
}

export type Reader<T> = (item: Item) => T;

/** The members of a map that were read; what is absent is absent. */
export type Fields = Readonly<Record<string, Reader<unknown>>>;
export type Read<F extends Fields> = { -readonly [K in keyof F]?: ReturnType<F[K]> };

function mapOf(item: Item): MapNode {
  return item.node.kind === 'map' ? item.node : item.mustBe('a map');
}

/** A map with known keys. `required` keys must be there; unknown keys are refused with the known ones. */
export function fields<F extends Fields>(item: Item, known: F, required: readonly (keyof F & string)[] = []): Read<F> {
  const map = mapOf(item);
  const read: Record<string, unknown> = {};
  for (const entry of map.entries) {
    const reader = Object.hasOwn(known, entry.key) ? known[entry.key] : undefined;
    const member = new Item(entry.value, entry.key, item.file, entry.line);
    if (reader === undefined) return member.fail(`unknown key "${entry.key}" (known here: ${Object.keys(known).join(', ')})`);
    read[entry.key] = reader(member);
  }
  for (const key of required) {
    if (!Object.hasOwn(read, key)) item.fail(`${key} is required`);
  }
  return read as Read<F>;
}

/** A map whose keys are free names: `key` judges each (it throws to refuse), `value` reads what belongs to it. */
export function mapping<T>(key: (entry: Item) => void, value: (item: Item) => T): Reader<ReadonlyMap<string, T>> {
  return (item) => {
    const read = new Map<string, T>();
    for (const entry of mapOf(item).entries) {
      const member = new Item(entry.value, entry.key, item.file, entry.line);
      key(member);
      read.set(entry.key, value(member));
    }
    return read;
  };
}

/** A list; its items are named `name[0]`, `name[1]`, ... */
export function list<T>(element: Reader<T>, min = 0, max = 10_000): Reader<readonly T[]> {
  const size = min === 0 ? 'a list' : `a list of ${min} to ${max} entries`;
  return (item) => {
    const { node } = item;
    if (node.kind !== 'list') return item.mustBe('a list');
    if (node.items.length < min || node.items.length > max) item.mustBe(size);
    return node.items.map((one, index) => element(new Item(one, `${item.name}[${index}]`, item.file)));
  };
}

export const bool: Reader<boolean> = (item) => {
  const value = item.node.kind === 'scalar' ? item.node.value : undefined;
  return typeof value === 'boolean' ? value : item.mustBe('true or false');
};

function numeric(kind: 'a number' | 'an integer', min: number, max: number): Reader<number> {
  return (item) => {
    const value = item.node.kind === 'scalar' ? item.node.value : undefined;
    const right = typeof value === 'number' && (kind === 'a number' || Number.isSafeInteger(value));
    return right && value >= min && value <= max ? value : item.mustBe(`${kind} from ${min} to ${max}`);
  };
}

export function integer(min: number, max: number): Reader<number> {
  return numeric('an integer', min, max);
}

export function number(min: number, max: number): Reader<number> {
  return numeric('a number', min, max);
}

/** A string without control characters. A number or boolean is told to be quoted rather than guessed at. */
export const text: Reader<string> = (item) => {
  const value = item.node.kind === 'scalar' ? item.node.value : undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return item.mustBe('a string (write it in quotes)');
  if (typeof value !== 'string') return item.mustBe('a string');
  // eslint-disable-next-line no-control-regex -- control characters are what is refused
  if (/[\u0000-\u001f\u007f]/.test(value)) item.fail(`${item.name} must not contain control characters`);
  return value;
};

/** A string that `valid` accepts. `what` completes `<name> must be ..`; the value is shown unless `secret`. */
export function string(valid: RegExp | ((value: string) => boolean), what: string, secret = false): Reader<string> {
  return (item) => {
    const value = text(item);
    const right = typeof valid === 'function' ? valid(value) : valid.test(value);
    return right ? value : item.mustBe(secret ? what : `${what}, got "${value}"`);
  };
}

/** One of a few words. */
export function oneOf<const W extends string>(...words: readonly W[]): Reader<W> {
  return (item) => {
    const value = item.node.kind === 'scalar' ? item.node.value : undefined;
    const word = words.find((one) => one === value);
    return word ?? item.mustBe(`one of ${words.join(', ')}`);
  };
}

/** The value of a reader, changed or judged further. */
export function map<A, B>(reader: Reader<A>, change: (value: A, item: Item) => B): Reader<B> {
  return (item) => change(reader(item), item);
}

/** A map without a prototype, so that a name such as `__proto__` is never anything but a name. */
export function dictionary<T>(entries: Iterable<readonly [string, T]>): Readonly<Record<string, T>> {
  const result = Object.create(null) as Record<string, T>;
  for (const [key, value] of entries) result[key] = value;
  return result;
}

/** Freezes a value with everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
