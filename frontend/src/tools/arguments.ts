/**
 * Judges the arguments of a call before anything is done with them. The first violation is answered, as a failure that names the
 * argument, so that a model can correct itself. Nothing is converted: the text "true" never switches a flag on.
 */
import { toolFacts } from '@steward/shared/catalogue/facts.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { checkPath } from '@steward/shared/host/clean.ts';
import { parseSha256 } from '@steward/shared/ops/files/common.ts';
import type { Schema } from '@steward/shared/schema.ts';
import { nearest } from './names.ts';
import type { Parameter } from './parameters.ts';
import type { AnyTool } from './tool.ts';

type Values = Record<string, unknown>;

/** Words in the description of an integer for which 0 means "not given". */
const ZERO_IS_NONE = '0=none';

/**
 * What the call means after the checks: only declared arguments, each of its declared type, absent ones absent. `seconds` is the
 * call's time limit.
 */
export function checkArguments(tool: AnyTool, parameters: readonly Parameter[], given: unknown, seconds?: number): Values {
  const values = knownOnly(tool, parameters, objectOf(given));
  const prepared = tool.prepare === undefined ? values : knownOnly(tool, parameters, tool.prepare(values, seconds));
  for (const parameter of parameters) judge(tool, parameter, prepared);
  judgeForms(tool, prepared);
  return prepared;
}

/**
 * What no schema says: the forms of paths and hashes. Operations judge them too; here they are judged before anything is asked of the
 * broker, so that a slip of the pen is not answered as a missing grant.
 */
function judgeForms({ op }: AnyTool, values: Values): void {
  if (op.path !== undefined && typeof values['path'] === 'string') checkPath(values['path']);
  for (const name of ['if_sha256', 'if_match']) parseSha256(name, values[name] as string | undefined);
}

/** Absent and null arguments are none. */
function objectOf(given: unknown): Readonly<Values> {
  if (given === undefined || given === null) return {};
  if (typeof given !== 'object' || Array.isArray(given)) throw new StewardError('arguments_not_object');
  return given as Readonly<Values>;
}

/**
 * Refuses names that are not declared where an argument that is not understood could do harm (a misspelt dry_run must not
 * execute); tools that only read ignore them. Null is "not given".
 */
function knownOnly(tool: AnyTool, parameters: readonly Parameter[], given: Readonly<Values>): Values {
  const reads = toolFacts(tool.name).hints.readOnly;
  const values: Values = {};
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith('_')) throw new StewardError('argument_reserved', { name });
    if (parameters.some((parameter) => parameter.name === name)) {
      if (value !== null) values[name] = value;
    } else if (!reads && name !== 'privileged') {
      const names = parameters.map((parameter) => parameter.name);
      const near = nearest(name, names);
      throw new StewardError('argument_unknown', { name, hint: near === undefined ? '' : ` (did you mean ${near}?)` });
    }
  }
  return values;
}

/** Drops what counts as not given, then judges presence, type and bounds of one argument. */
function judge(tool: AnyTool, { name, schema, required }: Parameter, values: Values): void {
  if (isAbsent(tool, name, schema, required, values[name])) delete values[name];
  const value = values[name];
  if (value === undefined) {
    if (required) throw new StewardError('argument_required', { name });
    return;
  }
  if ('anyOf' in schema) return; // no word of ours for it: the operation's own schema has the last say
  if (!isOfType(schema, value)) throw new StewardError('argument_type', { name, type: typeName(schema) });
  judgeBounds(name, schema, value);
}

function isAbsent(tool: AnyTool, name: string, schema: Schema, required: boolean, value: unknown): boolean {
  if (value === '') return tool.emptyIsValue?.includes(name) !== true && ('anyOf' in schema || schema.type === 'string');
  if (required && Array.isArray(value)) return value.length === 0;
  return value === 0 && 'description' in schema && schema.description.includes(ZERO_IS_NONE);
}

function isOfType(schema: Exclude<Schema, { anyOf: unknown }>, value: unknown): boolean {
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === schema.type;
    case 'integer':
      return Number.isSafeInteger(value); // 5.0 is written so in JSON and is 5
    case 'array':
      return Array.isArray(value) && value.every((item) => 'anyOf' in schema.items || isOfType(schema.items, item));
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value) && hasStringsOnly(schema, value);
    case 'null':
      return value === null;
  }
}

function hasStringsOnly(schema: Schema, value: object): boolean {
  const items = 'additionalProperties' in schema ? schema.additionalProperties : true;
  if (typeof items === 'boolean' || 'anyOf' in items) return true;
  return Object.values(value).every((member) => isOfType(items, member));
}

function typeName(schema: Exclude<Schema, { anyOf: unknown }>): string {
  const words = { string: 'a string', integer: 'an integer', number: 'a number', boolean: 'a boolean', null: 'null' } as const;
  if (schema.type === 'array') return 'an array of strings';
  return schema.type === 'object' ? 'an object of strings' : words[schema.type];
}

function judgeBounds(name: string, schema: Exclude<Schema, { anyOf: unknown }>, value: unknown): void {
  if (schema.type === 'string' && schema.enum !== undefined && !schema.enum.includes(value as string)) {
    throw new StewardError('argument_enum', { name, value: value as string, allowed: schema.enum.join(', ') });
  }
  if (schema.type !== 'integer' && schema.type !== 'number') return;
  const number = value as number;
  if (schema.minimum !== undefined && number < schema.minimum) {
    throw new StewardError('argument_min', { name, min: schema.minimum });
  }
  if (schema.maximum !== undefined && number > schema.maximum) {
    throw new StewardError('argument_max', { name, max: schema.maximum });
  }
}
