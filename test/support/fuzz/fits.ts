/**
 * Whether a value is what a schema says, written from the words of the standard and not from the validators that are tested with it.
 * Knows the subset of shared/src/schema.ts.
 */
import type { NumberSchema, ObjectSchema, Schema, StringSchema } from '@steward/shared/schema.ts';

export function fits(schema: Schema, value: unknown): boolean {
  if ('anyOf' in schema) return schema.anyOf.some((one) => fits(one, value));
  switch (schema.type) {
    case 'null':
      return value === null;
    case 'boolean':
      return value === true || value === false;
    case 'integer':
    case 'number':
      return fitsNumber(schema, value);
    case 'string':
      return fitsString(schema, value);
    case 'array': {
      if (!Array.isArray(value)) return false;
      const { minItems = 0, maxItems = Infinity, items } = schema;
      return value.length >= minItems && value.length <= maxItems && value.every((item) => fits(items, item));
    }
    case 'object':
      return fitsObject(schema, value);
  }
}

function fitsNumber({ type, minimum = -Infinity, maximum = Infinity }: NumberSchema, value: unknown): boolean {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  return (type === 'number' || Number.isInteger(value)) && value >= minimum && value <= maximum;
}

function fitsString(schema: StringSchema, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const { enum: choices, minLength = 0, maxLength = Infinity, pattern } = schema;
  const length = Array.from(value).length; // in code points, as the standard counts
  if (length < minLength || length > maxLength) return false;
  return (choices?.includes(value) ?? true) && (pattern === undefined || new RegExp(pattern, 'u').test(value));
}

function fitsObject({ properties, required, additionalProperties }: ObjectSchema, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const members = new Map(Object.entries(value));
  if (!required.every((name) => members.has(name) && members.get(name) !== undefined)) return false;
  return [...members].every(([name, member]) => {
    const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (declared !== undefined) return member === undefined || fits(declared, member);
    if (typeof additionalProperties === 'boolean') return additionalProperties;
    return fits(additionalProperties, member);
  });
}
