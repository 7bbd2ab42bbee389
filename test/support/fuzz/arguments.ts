/**
 * Arguments for an operation, made from its schema: mostly such as fit, some that miss by one, some that are nothing of the kind.
 */
import type { ArgsSchema, NumberSchema, Schema, StringSchema } from '@steward/shared/schema.ts';
import type { Random } from './random.ts';

/** Values of every wrong type, and such as have been trouble elsewhere. */
const STRANGE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 32,
  2 ** 53 + 2,
  -0,
  '',
  '0',
  'true',
  '-rf',
  '--help',
  '../../etc/shadow',
  '/etc/shadow\n',
  'a\u0000b',
  '\ud800',
  '%2e%2e/',
  '__proto__',
  [],
  [[]],
  {},
  { toString: 1 },
  JSON.parse('{"__proto__":{"polluted":true}}'),
];
/** Names that objects have without having been given them. */
const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', ''];

export function randomArgs(schema: ArgsSchema, random: Random): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const [name, declared] of Object.entries(schema.properties)) {
    const wanted = schema.required.includes(name) ? !random.once(12) : random.once(2);
    if (wanted) args[name] = randomValue(declared, random);
  }
  if (random.once(10)) return withExtra(args, random);
  return args;
}

function withExtra(args: Record<string, unknown>, random: Random): Record<string, unknown> {
  const name = random.once(2) ? random.pick(INHERITED) : `x${random.below(100)}`;
  // defined, not assigned: as JSON.parse makes a member of that name
  Object.defineProperty(args, name, { value: random.pick(STRANGE), enumerable: true, configurable: true, writable: true });
  return args;
}

function randomValue(schema: Schema, random: Random): unknown {
  if (random.once(10)) return random.pick(STRANGE);
  if ('anyOf' in schema) return randomValue(random.pick(schema.anyOf), random);
  switch (schema.type) {
    case 'null':
      return null;
    case 'boolean':
      return random.once(2);
    case 'integer':
    case 'number':
      return randomNumber(schema, random);
    case 'string':
      return randomString(schema, random);
    case 'array': {
      const { minItems = 0, maxItems = 8 } = schema;
      const length = random.once(8) ? Math.max(0, random.pick([minItems - 1, maxItems + 1])) : minItems + random.below(4);
      return Array.from({ length: Math.min(length, 2000) }, () => randomValue(schema.items, random));
    }
    case 'object':
      return random.pick(STRANGE);
  }
}

/** In the range or right beside it. */
function randomNumber({ minimum = -5, maximum = 1000 }: NumberSchema, random: Random): number {
  const edges = [minimum, minimum - 1, minimum + 1, maximum, maximum - 1, maximum + 1, minimum + 0.5];
  return random.once(2) ? random.pick(edges) : minimum + random.below(Math.min(maximum - minimum, 1000));
}

const LETTERS = ['a', 'Z', '9', '-', '_', '.', '/', ':', '@', '*', '[', '\\', ' ', '\n', '\u0000', 'é', '🐧', '\ud83d'];

function randomString({ enum: choices, minLength = 0, maxLength = 40 }: StringSchema, random: Random): string {
  if (choices !== undefined && !random.once(8)) {
    const choice = random.pick(choices);
    return random.once(8) ? random.pick([choice.toUpperCase(), `${choice} `, choice.slice(1)]) : choice;
  }
  if (random.once(20) && maxLength <= 5000) return 'x'.repeat(random.pick([maxLength, maxLength + 1]));
  if (random.once(20) && maxLength <= 5000) return '🐧'.repeat(random.pick([maxLength, maxLength + 1, maxLength >> 1]));
  const length = random.once(10) ? Math.max(0, minLength - 1) : Math.min(maxLength, minLength + random.below(12));
  return Array.from({ length }, () => random.pick(LETTERS)).join('');
}
