/** What the endpoints of every transport work with, and the limits of sessions that all of them share. */
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import type { Dispatcher } from '../rpc/dispatcher.ts';
import type { Authenticator } from '../session/auth.ts';
import { Conversation, type ConversationOptions } from '../session/conversation.ts';
import type { RateLimiter } from '../session/rate.ts';
import type { Sessions } from '../session/sessions.ts';
import type { NameStyle } from '../tools/listing.ts';
import { answerText } from './answer.ts';
import { queryValue, type Exchange } from './exchange.ts';
import { closing, unavailable } from './gate.ts';

export interface TransportServices {
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly dispatcher: Dispatcher;
  readonly rate: RateLimiter;
  readonly config: () => DaemonConfig;
  /** True once the process is about to end. */
  readonly stopping: () => boolean;
  /** Told when a reader was given up. */
  readonly dropped: (user: string, reason: string) => void;
}

const LIMIT_STATUS = { user: 429, total: 503 } as const;
const SESSION_RETRY_SECONDS = '10';

/** Whether one more session of the user may begin; false when the request has been answered. */
export function mayBegin(exchange: Exchange, user: string, { sessions, config, stopping }: TransportServices): boolean {
  if (stopping()) {
    unavailable(exchange, 'the daemon is shutting down');
    return false;
  }
  const full = sessions.full(user, config().limits);
  if (full === undefined) return true;
  // Many clients leave their sessions behind without a word: one that nobody uses gives way.
  if (full === 'user' && sessions.makeRoom(user)) return true;
  const headers = { 'Retry-After': SESSION_RETRY_SECONDS, ...closing(exchange) };
  answerText(exchange.response, LIMIT_STATUS[full], 'too many sessions', headers);
  return false;
}

/** How this endpoint was asked to spell the names of tools; undefined: as configured. */
function namesOf(exchange: Exchange): NameStyle | undefined {
  return queryValue(exchange, 'names') === 'underscore' ? 'underscore' : undefined;
}

export function newConversation(
  exchange: Exchange,
  { dispatcher, rate, config }: TransportServices,
  rest: Pick<ConversationOptions, 'version' | 'surface' | 'queue'>,
): Conversation {
  return new Conversation({ dispatcher, rate, limits: () => config().limits, names: namesOf(exchange), ...rest });
}

export function keepAliveMs({ config }: TransportServices): number {
  return config().server.sse_keepalive_seconds * 1000;
}
