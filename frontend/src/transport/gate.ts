/** Authentication of one HTTP request: the caller, or an answer that says why not. */
import { StewardError } from '@steward/shared/errors.ts';
import type { Authenticator, Credentials } from '../session/auth.ts';
import { bearerToken, challenge } from '../session/bearer.ts';
import { authenticate, type Caller } from '../session/caller.ts';
import { answerText } from './answer.ts';
import { clientName, type Exchange } from './exchange.ts';

/** Seconds after which a client may try again. */
export const RETRY_AFTER = '2';

export interface Admitted {
  readonly caller: Caller;
  /** For connections that outlive the request and must be judged again. */
  readonly credentials: Credentials;
}

/**
 * Who is at the other end of a request; undefined when it has been answered (401, 429 on one connection too many, or 503 when
 * nobody could say who it is). Without a promise where the token is known.
 */
export function admit(exchange: Exchange, authenticator: Authenticator): Admitted | undefined | Promise<Admitted | undefined> {
  const token = bearerToken(exchange.request.headers.authorization);
  if (token === undefined) return void refuse(exchange, false);
  const credentials = { token, address: exchange.address, client: clientName(exchange), request: exchange.id };
  const caller = authenticate(authenticator, credentials);
  return caller instanceof Promise ? admitLater(exchange, caller, credentials) : welcome(exchange, caller, credentials);
}

function welcome(exchange: Exchange, caller: Caller, credentials: Credentials): Admitted | undefined {
  exchange.user = caller.user;
  if (exchange.recognised(exchange.request.socket, caller.user)) return { caller, credentials };
  answerText(exchange.response, 429, 'too many connections', { 'Retry-After': RETRY_AFTER, Connection: 'close' });
  return undefined;
}

async function admitLater(exchange: Exchange, caller: Promise<Caller>, credentials: Credentials): Promise<Admitted | undefined> {
  try {
    return welcome(exchange, await caller, credentials);
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    if (error.key === 'bad_token') refuse(exchange, true);
    else unavailable(exchange, error.message);
    return undefined;
  }
}

/** A token does not show whose it is, and people who hold several ask. Said where a session begins, and to those without one. */
export function nameUser({ response, user }: Exchange): void {
  response.setHeader('Steward-User', user);
}

function refuse(exchange: Exchange, givenToken: boolean): void {
  answerText(exchange.response, 401, 'Unauthorized', { 'WWW-Authenticate': challenge(givenToken), ...closing(exchange) });
}

export function unavailable(exchange: Exchange, text: string): void {
  answerText(exchange.response, 503, text, { 'Retry-After': RETRY_AFTER, ...closing(exchange) });
}

/**
 * Who waits for `100 Continue` and gets an answer instead may send the body or not: nobody could tell it from a next request, so
 * the connection ends.
 */
export function closing({ expectsContinue }: Exchange): Readonly<Record<string, string>> {
  return expectsContinue ? { Connection: 'close' } : {};
}
