/** Judges a parsed frame before anybody looks at it: it is one of the messages that a frontend may send, or a breach. */
import type { Validate } from '../generated/validators.js';
import { ProtocolError } from './frames.ts';
import { unfit } from './json.ts';
import type { FrontendMessage } from './messages.ts';

/** The longest text of an envelope is the token. */
const BOUNDS = { maxString: 16 * 1024 };

type Members = Readonly<Record<string, unknown>>;

/** The message, if it fits the schema of its type. Throws ProtocolError. The arguments of a call are judged with its row. */
export function checkMessage(value: unknown, validators: Readonly<Record<string, Validate>>): FrontendMessage {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const validate = typeof type === 'string' && Object.hasOwn(validators, type) ? validators[type] : undefined;
  if (validate === undefined) throw new ProtocolError('a message of no known type');
  const problem = validate(value) ? unfitMember(value as Members) : problemOf(validate);
  if (problem !== undefined) throw new ProtocolError(`a ${String(type)} message does not fit: ${problem}`);
  return value as FrontendMessage;
}

/** What is wrong with a member, but for the arguments. The names are those of the schema. */
function unfitMember(message: Members): string | undefined {
  for (const name of Object.keys(message)) {
    const problem = name === 'args' ? undefined : unfit(message[name], BOUNDS);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What a validator found, in a few words that hold nothing of the value itself. */
export function problemOf(validate: Validate): string {
  const problem = validate.errors?.[0];
  const where = problem?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  return `${where === '' ? '' : `${where} `}${problem?.message ?? 'does not fit'}`.slice(0, 200);
}
