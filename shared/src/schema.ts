/**
 * The subset of JSON Schema 2020-12 that operations use to declare arguments and results. Plain data `as const`: ajv compiles
 * it at build time, `Static<typeof schema>` (typebox, types only) gives the TypeScript type, and nothing is compiled at run
 * time.
 */
export type { Static } from 'typebox';

export interface StringSchema {
  readonly type: 'string';
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly description?: string;
  readonly default?: string;
}
export interface NumberSchema {
  readonly type: 'integer' | 'number';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  readonly default?: number;
}
export interface BooleanSchema {
  readonly type: 'boolean';
  readonly description?: string;
  readonly default?: boolean;
}
export interface ArraySchema {
  readonly type: 'array';
  readonly items: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly description?: string;
}
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  readonly additionalProperties: boolean | Schema;
  readonly description?: string;
}
export interface NullSchema {
  readonly type: 'null';
}
export interface UnionSchema {
  readonly anyOf: readonly Schema[];
  readonly description?: string;
}
export type Schema = StringSchema | NumberSchema | BooleanSchema | ArraySchema | ObjectSchema | NullSchema | UnionSchema;

/** An object without members: of operations that take no arguments, and of streams that end without a summary. */
export const NOTHING = { type: 'object', properties: {}, required: [], additionalProperties: false } as const;

/** Arguments of an operation: always a closed object. */
export interface ArgsSchema extends ObjectSchema {
  readonly additionalProperties: false;
}
