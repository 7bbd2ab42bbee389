/** For unit tests alone: whether a value is what an operation's schema says. Knows the subset of schema.ts and nothing else. */
import type { ObjectSchema, Schema } from '../schema.ts';

/** The first thing that does not fit, with its place; undefined when everything does. */
export function misfit(schema: Schema, value: unknown, place = 'value'): string | undefined {
  if ('anyOf' in schema) {
    return schema.anyOf.some((one) => misfit(one, value) === undefined) ? undefined : `${place} fits none of its schemas`;
  }
  switch (schema.type) {
    case 'null':
      return value === null ? undefined : `${place} is not null`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `${place} is no boolean`;
    case 'integer':
    case 'number': {
      const fits = schema.type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
      const number = value as number;
      return fits && number >= (schema.minimum ?? -Infinity) && number <= (schema.maximum ?? Infinity)
        ? undefined
        : `${place} is no such ${schema.type}: ${String(value)}`;
    }
    case 'string': {
      const fits =
        typeof value === 'string' && (schema.enum?.includes(value) ?? true) && new RegExp(schema.pattern ?? '').test(value);
      return fits ? undefined : `${place} is no such string: ${String(value)}`;
    }
    case 'array':
      if (!Array.isArray(value)) return `${place} is no array`;
      return first(value.map((item, index) => misfit(schema.items, item, `${place}[${String(index)}]`)));
    case 'object':
      return objectMisfit(schema, value, place);
  }
}

function objectMisfit(schema: ObjectSchema, value: unknown, place: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${place} is no object`;
  const missing = schema.required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${place} lacks ${missing}`;
  return first(
    Object.entries(value).map(([name, member]) => {
      const own = Object.hasOwn(schema.properties, name) ? schema.properties[name] : schema.additionalProperties;
      if (own === true || own === undefined) return undefined;
      return own === false ? `${place} has an undeclared ${name}` : misfit(own, member, `${place}.${name}`);
    }),
  );
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}
