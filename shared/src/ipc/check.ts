/** Judges a parsed frame before anybody looks at it: it is one of the messages that a frontend may send, or a breach. */
import type { Validate } from '../generated/validators.js';
import { ProtocolError } from './frames.ts';
import { unfit } from './json.ts';
import type { FrontendMessage } from './messages.ts';

/** Longest text of an envelope (the token) in UTF-16 units. */
const MAX_TEXT = 16 * 1024;

/** The message, if it fits the schema of its type. Throws ProtocolError. The arguments of a call are judged with its row. */
export function checkMessage(value: unknown, validators: Readonly<Record<string, Validate>>): FrontendMessage {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const validate = typeof type === 'string' && Object.hasOwn(validators, type) ? validators[type] : undefined;
  if (validate === undefined) throw new ProtocolError('a message of no known type');
  const problem = validate(value) ? unfit({ ...(value as object), args: null }, { maxString: MAX_TEXT }) : problemOf(validate);
  if (problem !== undefined) throw new ProtocolError(`a ${String(type)} message does not fit: ${problem}`);
  return value as FrontendMessage;
}

/** What a validator found, in a few words that hold nothing of the value itself. */
export function problemOf(validate: Validate): string {
  const problem = validate.errors?.[0];
  const where = problem?.instancePath.slice(1).replaceAll('/', '.') ?? '';
  return `${where === '' ? '' : `${where} `}${problem?.message ?? 'does not fit'}`.slice(0, 200);
}
