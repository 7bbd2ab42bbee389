/**
 * Reads a configuration file's text into plain nodes with line numbers. Only maps, lists and scalars of YAML 1.2 (core schema)
 * pass: no anchors, aliases, tags, merge keys, duplicate keys, directives or second document. This is the only place where the
 * yaml package parses for either daemon; nothing is ever expanded or constructed from the text.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { ConfigError } from './types.ts';

/** Most bytes of a configuration file. */
export const MAX_CONFIG_BYTES = 1024 * 1024;
/** Maps and lists inside each other; the files need 7. */
const MAX_DEPTH = 20;

export type ScalarValue = string | number | boolean | null;
export interface ScalarNode {
  readonly kind: 'scalar';
  readonly line: number;
  readonly value: ScalarValue;
}
export interface ListNode {
  readonly kind: 'list';
  readonly line: number;
  readonly items: readonly ConfigNode[];
}
export interface MapEntry {
  readonly key: string;
  readonly line: number;
  readonly value: ConfigNode;
}
export interface MapNode {
  readonly kind: 'map';
  readonly line: number;
  readonly entries: readonly MapEntry[];
}
export type ConfigNode = ScalarNode | ListNode | MapNode;

/** Parses `text`; `file` is only for the messages. Throws ConfigError with the line of the first thing that is wrong. */
export function parseYaml(text: string, file: string): ConfigNode {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) throw new ConfigError(file, 1, 'larger than 1 MiB');
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false, // judged in `convertMap`: the package compares every pair of keys
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter: lines,
  });
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (document === undefined) throw new ConfigError(file, 1, 'is empty');
  refuseErrors(document, file, lineAt);
  if (second !== undefined) throw new ConfigError(file, lineAt(second.range[0]), 'only one document is allowed');
  refuseDirectives(text, file);
  if (document.contents === null) throw new ConfigError(file, 1, 'is empty');
  return convert(document.contents, { file, lineAt, depth: 0 });
}

/** A YAML message in one line, as the package words it. */
function refuseErrors(document: Document.Parsed, file: string, lineAt: (offset: number) => number): void {
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem === undefined) return;
  const reason = problem.code === 'RESOURCE_EXHAUSTION' ? 'nested too deeply' : `not valid YAML: ${problem.message}`;
  throw new ConfigError(file, lineAt(problem.pos[0]), reason.replaceAll(/\s+/g, ' '));
}

/** `%YAML` and `%TAG` lines would change how the rest is read. They can stand only before the first `---`. */
function refuseDirectives(text: string, file: string): void {
  const all = text.replace(/^\ufeff/, '').split(/\r?\n/);
  for (const [index, line] of all.entries()) {
    if (line.startsWith('%')) throw new ConfigError(file, index + 1, 'directives are not allowed');
    if (line.trim() !== '' && !line.startsWith('#')) return;
  }
}

interface Place {
  readonly file: string;
  readonly lineAt: (offset: number) => number;
  readonly depth: number;
}

/** Anchors, tags and aliases of a node are refused wherever they stand. */
function refuseSpecials(node: ParsedNode, place: Place): number {
  const line = place.lineAt(node.range[0]);
  if (isAlias(node)) throw new ConfigError(place.file, line, 'aliases are not allowed');
  if (node.anchor !== undefined) throw new ConfigError(place.file, line, 'anchors are not allowed');
  if (node.tag !== undefined) throw new ConfigError(place.file, line, 'tags are not allowed');
  if (place.depth > MAX_DEPTH) throw new ConfigError(place.file, line, 'nested too deeply');
  return line;
}

function convert(node: ParsedNode, place: Place): ConfigNode {
  const line = refuseSpecials(node, place);
  const inner = { ...place, depth: place.depth + 1 };
  if (isMap(node)) return convertMap(node, line, inner);
  if (isSeq(node)) return { kind: 'list', line, items: node.items.map((item) => convert(item, inner)) };
  if (isScalar(node)) return { kind: 'scalar', line, value: scalarValue(node, line, place) };
  throw new ConfigError(place.file, line, 'only maps, lists and scalars are allowed');
}

function scalarValue(node: Scalar, line: number, place: Place): ScalarValue {
  const value: unknown = node.value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  throw new ConfigError(place.file, line, 'only maps, lists and scalars are allowed');
}

function convertMap(node: YAMLMap, line: number, place: Place): MapNode {
  const seen = new Set<string>();
  const entries = node.items.map((pair): MapEntry => {
    const key = pair.key as ParsedNode | null;
    if (key === null) throw new ConfigError(place.file, line, 'a key is missing');
    const keyLine = refuseSpecials(key, place);
    const name = isScalar(key) ? key.value : undefined;
    if (typeof name !== 'string') throw new ConfigError(place.file, keyLine, 'keys must be strings');
    if (name === '<<') throw new ConfigError(place.file, keyLine, 'merge keys are not allowed');
    if (seen.has(name)) throw new ConfigError(place.file, keyLine, `duplicate key "${name}"`);
    seen.add(name);
    const value = pair.value as ParsedNode | null;
    return {
      key: name,
      line: keyLine,
      value: value === null ? { kind: 'scalar', line: keyLine, value: null } : convert(value, place),
    };
  });
  return { kind: 'map', line, entries };
}
