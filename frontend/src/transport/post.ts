/** What a POST must be before anybody reads it as JSON-RPC, and the short answers of those that are refused. */
import { answerText } from './answer.ts';
import { type BodyError, bodyAtHand, discardBody, readBody } from './body.ts';
import type { Exchange } from './exchange.ts';
import { closing } from './gate.ts';

const JSON_TYPE = 'application/json';

/** Why the kind of body is none that we take, if so. */
export function unsupportedBody({ request }: Exchange): string | undefined {
  const given = request.headers['content-type'] ?? '';
  const isJson = given === JSON_TYPE || given.split(';')[0]?.trim().toLowerCase() === JSON_TYPE;
  if (!isJson) return 'Content-Type must be application/json';
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  return encoding === 'identity' ? undefined : 'Content-Encoding is not supported';
}

/** The body as text; tells a client that waits for it to go on. Fails as `readBody` does. */
export function bodyOf(exchange: Exchange, maxBytes: number): string | Promise<string> {
  const { request, response, expectsContinue } = exchange;
  const here = expectsContinue ? undefined : bodyAtHand(request, maxBytes);
  if (here !== undefined) {
    exchange.bodyRead = true;
    return here;
  }
  const reading = readBody(request, maxBytes);
  if (expectsContinue && Number(request.headers['content-length'] ?? 0) <= maxBytes) response.writeContinue();
  return reading;
}

/** Answers and reads away what still comes. */
export function refuse(exchange: Exchange, status: number, text: string): void {
  answerText(exchange.response, status, text, closing(exchange));
  discardBody(exchange.request);
}

/** Answers a body that was not taken, if anybody is there to be answered. */
export function refuseBody(exchange: Exchange, { status, message }: BodyError): void {
  if (status !== undefined) refuse(exchange, status, message);
}
