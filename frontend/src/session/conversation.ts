/**
 * What one session is saying: which ids are in flight, what may run now, what was cancelled. It knows no transport; whoever
 * posts a message says where its answer goes.
 */
import { StewardError } from '@steward/shared/errors.ts';
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import type { Dispatcher } from '../rpc/dispatcher.ts';
import { RpcError, invalidRequest } from '../rpc/errors.ts';
import { modernResult } from '../rpc/modern-result.ts';
import type { Surface } from '../rpc/versions.ts';
import type { JsonNode } from '../rpc/json-stream.ts';
import type { Batch, Id, Message, Request } from '../rpc/message.ts';
import type { NameStyle } from '../tools/listing.ts';
import type { Caller } from './caller.ts';
import { Progress } from './progress.ts';
import { CallQueue } from './queue.ts';
import type { RateLimiter } from './rate.ts';
import { TransientMap } from '@steward/shared/transient-map.ts';

/** An answer on its way. `release` gives back what it was made from; call it when the answer is out, or will never be. */
export interface Reply {
  readonly node: JsonNode;
  /** About how many bytes wait behind the node. */
  readonly weight: number;
  readonly release: () => void;
}

export interface Posting {
  readonly caller: Caller;
  /** Id of the HTTP request. */
  readonly request: string;
  /** Takes notices about requests under way; absent where there is no way for them. */
  readonly notify?: (notice: JsonNode) => void;
  /** Takes the answer; not called when there is none. */
  readonly deliver: (reply: Reply) => void;
  /** Told when everything has been served, after the answer if there is one. */
  readonly done?: () => void;
}

export interface ConversationOptions {
  readonly dispatcher: Dispatcher;
  readonly rate: RateLimiter;
  readonly limits: () => DaemonConfig['limits'];
  /** Protocol version that was negotiated, or will be until then. */
  readonly version: string;
  readonly surface: Surface;
  /** How this endpoint spells the names of tools; undefined: as configured. */
  readonly names: NameStyle | undefined;
  /** Where calls wait for their turn, if others wait there too. */
  readonly queue?: CallQueue;
}

export class Conversation {
  readonly #options: ConversationOptions;
  readonly #queue: CallQueue;
  readonly #inFlight = new TransientMap<Id, AbortController>();
  readonly #cancelled = new WeakSet<AbortController>();
  #version: string;
  #closed = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#version = options.version;
    this.#queue = options.queue ?? new CallQueue(() => options.limits().max_calls_per_session);
  }

  get version(): string {
    return this.#version;
  }

  /** Speaks another version from now on. */
  speak(version: string): void {
    this.#version = version;
  }

  /** The client is gone: whatever of it comes now must not be begun. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Requests whose answers are not made yet. */
  get running(): number {
    return this.#inFlight.size;
  }

  /**
   * Judges what cannot be answered in the session: an unreadable id, an id that is in flight. Throws RpcError for it; the caller
   * answers that on the spot. What comes back starts the work.
   */
  admit(body: Message | Batch): (posting: Posting) => void {
    if (body.kind === 'batch') return this.#admitBatch(body);
    if (body.kind === 'unfit' && body.id === undefined) throw body.error;
    if (body.kind === 'request' && this.#inFlight.has(body.id)) throw inFlight();
    return (posting) => void this.#start(body, posting);
  }

  #admitBatch({ members }: Batch): (posting: Posting) => void {
    const ids = new Set<Id>();
    for (const member of members) {
      if (member.kind !== 'request') continue;
      if (this.#inFlight.has(member.id) || ids.has(member.id)) throw inFlight();
      ids.add(member.id);
    }
    return (posting) => void this.#startBatch(members, posting);
  }

  /** Stops all calls; those that may still answer do so with this reason. */
  abort(reason: StewardError): void {
    for (const controller of this.#inFlight.values()) controller.abort(reason);
  }

  /** The client is gone: stops all calls, and nothing is answered any more. */
  close(): void {
    this.#closed = true;
    this.abort(new StewardError('cancelled'));
  }

  async #start(message: Message, posting: Posting): Promise<void> {
    const reply = await this.#handle(message, posting, false);
    if (reply !== undefined) this.#deliver(reply, posting);
    posting.done?.();
  }

  async #startBatch(members: readonly Message[], posting: Posting): Promise<void> {
    const replies = await Promise.all(members.map(async (member) => this.#handle(member, posting, true)));
    const answers = replies.filter((reply) => reply !== undefined);
    if (answers.length > 0) this.#deliver(together(answers), posting);
    posting.done?.();
  }

  #deliver(reply: Reply, { deliver }: Posting): void {
    if (this.#closed) reply.release();
    else deliver(reply);
  }

  #handle(message: Message, posting: Posting, batch: boolean): Reply | undefined | Promise<Reply | undefined> {
    if (message.kind === 'request') return this.#serve(message, posting, batch);
    if (message.kind === 'unfit') return errorReply(message.id ?? null, message.error, posting.request);
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') this.#cancel(message.params);
    return undefined;
  }

  async #serve({ id, method, params }: Request, posting: Posting, batch: boolean): Promise<Reply | undefined> {
    const { caller, request } = posting;
    const { dispatcher, rate, limits, surface, names } = this.#options;
    const progress = surface === 'sse' ? undefined : Progress.of(params, posting.notify);
    const controller = new AbortController();
    const { signal } = controller;
    this.#inFlight.set(id, controller);
    const charge = (): void => {
      const bounds = limits();
      if (rate.take(caller.user, bounds)) return;
      throw new StewardError('rate_limited', { user: caller.user, rate: bounds.requests_per_second });
    };
    let giveBack = (): void => undefined;
    const turn = async (): Promise<() => void> => (giveBack = await this.#queue.enter(signal));
    try {
      const answer = await dispatcher.dispatch({
        caller,
        version: this.#version,
        surface,
        names,
        method,
        params,
        signal,
        progress: progress?.sink,
        request,
        charge,
        turn,
      });
      if (!this.#cancelled.has(controller)) {
        const result = surface === 'modern' ? modernResult(method, answer.result) : answer.result;
        return { node: { jsonrpc: '2.0', id, result }, weight: answer.weight, release: answer.release };
      }
      answer.release();
      return undefined;
    } catch (error) {
      if (this.#cancelled.has(controller)) return undefined;
      return errorReply(id, error, request);
    } finally {
      progress?.stop();
      this.#inFlight.delete(id);
      // A turn lasts until its answer is out. Those of a batch go out together: the first would wait for the last, and it for them.
      if (batch) giveBack();
    }
  }

  /** A cancellation names a request of this session; anything else is ignored. Nothing answers a cancelled request. */
  #cancel(params: unknown): void {
    if (typeof params !== 'object' || params === null || !Object.hasOwn(params, 'requestId')) return;
    const controller = this.#inFlight.get((params as { requestId: Id }).requestId);
    if (controller === undefined) return;
    this.#cancelled.add(controller);
    controller.abort(new StewardError('cancelled'));
  }
}

/** The answers of a batch as one. */
function together(answers: readonly Reply[]): Reply {
  return {
    node: answers.map(({ node }) => node),
    weight: answers.reduce((sum, answer) => sum + answer.weight, 0),
    release: () => answers.forEach((answer) => answer.release()),
  };
}

function inFlight(): RpcError {
  return invalidRequest('this id is in flight already');
}

function errorReply(id: Id | null, error: unknown, request: string): Reply {
  if (!(error instanceof RpcError)) throw error;
  return { node: { jsonrpc: '2.0', id, error: error.toNode(request) }, weight: 0, release: () => undefined };
}
