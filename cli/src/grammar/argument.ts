/**
 * The arguments of a tool as its JSON Schema declares them, in the order of the declaration. Schemas come from the server and
 * may be newer than this program: what is not understood is passed as text.
 */
export type ArgumentType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';

export interface Argument {
  readonly name: string;
  readonly type: ArgumentType;
  /** Type of the members of an array. */
  readonly items: ArgumentType;
  readonly required: boolean;
  readonly description: string;
  readonly choices: readonly string[];
  readonly fallback: unknown;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const TYPES: readonly string[] = ['string', 'integer', 'number', 'boolean', 'array', 'object'] satisfies ArgumentType[];

function isType(value: unknown): value is ArgumentType {
  return typeof value === 'string' && TYPES.includes(value);
}

/** The type to convert to. Where a schema leaves a choice and text is one of them, it is text: nothing is guessed. */
function typeOf(schema: JsonObject): ArgumentType {
  const type = schema['type'];
  if (isType(type)) return type;
  const branches: unknown[] = [schema['anyOf'], schema['oneOf']].find(Array.isArray) ?? [];
  const named = Array.isArray(type) ? type : branches.map((branch) => (isObject(branch) ? branch['type'] : undefined));
  const types = named.filter(isType);
  return types.includes('string') ? 'string' : (types[0] ?? 'string');
}

/** Reads an `inputSchema`. */
export function argumentsOf(schema: unknown): Argument[] {
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  const required: unknown = isObject(schema) ? schema['required'] : [];
  return Object.entries(properties).map(([name, declared]) => {
    const property = isObject(declared) ? declared : {};
    const items = property['items'];
    const choices: unknown = property['enum'];
    return {
      name,
      type: typeOf(property),
      items: isObject(items) ? typeOf(items) : 'string',
      required: Array.isArray(required) && required.includes(name),
      description: typeof property['description'] === 'string' ? property['description'] : '',
      choices: Array.isArray(choices) ? choices.map(String) : [],
      fallback: property['default'],
    };
  });
}

/** The flag of an argument, without dashes: `start_line` is `--start-line`. */
export function flagOf(argument: Argument): string {
  return argument.name.replaceAll('_', '-');
}

/** The order in which words without a flag fill arguments: the required ones, then the optional ones that are no switches. */
export function positionalOrder(all: readonly Argument[]): Argument[] {
  return [
    ...all.filter((argument) => argument.required),
    ...all.filter((argument) => !argument.required && argument.type !== 'boolean'),
  ];
}
