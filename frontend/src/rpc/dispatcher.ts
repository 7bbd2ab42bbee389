/**
 * Methods by name. It knows users, protocol versions and parameters, and nothing of transports. Whatever goes wrong comes out as
 * a result or as an RpcError; details of the unexpected stay in the log.
 */
import { StewardError } from '@steward/shared/errors.ts';
import type { Caller } from '../session/caller.ts';
import type { NameStyle } from '../tools/listing.ts';
import { CODES, RpcError, invalidParams, methodNotFound } from './errors.ts';
import type { JsonNode } from './json-stream.ts';
import type { Surface } from './versions.ts';

/** Takes how far a call has come: a count that grows, and words for it. Absent where the client did not ask for it. */
export type ProgressSink = (progress: number, message?: string) => void;

/** One request for a method. */
export interface Invocation {
  readonly caller: Caller;
  /** Protocol version of the session. */
  readonly version: string;
  readonly surface: Surface;
  readonly names: NameStyle | undefined;
  readonly method: string;
  /** As it came. */
  readonly params: unknown;
  /** Aborted with a StewardError as reason. */
  readonly signal: AbortSignal;
  readonly progress: ProgressSink | undefined;
  /** Id of the request in the access line, the audit record and in failures. */
  readonly request: string;
  /** Counts the request against the user's rate; throws `rate_limited`. */
  readonly charge: () => void;
  /** Waits for a turn among the session's calls and resolves to what gives it back; rejects with `too_many_waiting`. */
  readonly turn: () => Promise<() => void>;
}

/** An invocation whose params are known to be an object. */
export interface MethodCall extends Invocation {
  readonly params: Readonly<Record<string, unknown>>;
}

export interface Answer {
  readonly result: JsonNode;
  /** About how many bytes wait behind the result. */
  readonly weight: number;
  /** Gives back what the result is made from. Call it once, when the result is out or will never be. */
  readonly release: () => void;
}

/** Serves one method. Throws RpcError, or StewardError (a failure that the protocol has no number for). */
export type Method = (call: MethodCall) => JsonNode | Answer | Promise<Answer>;

/** A method and how it is bounded. */
export interface MethodEntry {
  readonly serve: Method;
  /** Where it can be called; absent: everywhere. */
  readonly surfaces?: readonly Surface[];
  /** Charges and waits for itself, because its refusals look different. */
  readonly chargesItself?: true;
}

/** Told about defects: an error that nobody foresaw. */
export type ReportDefect = (error: unknown, request: string) => void;

export class Dispatcher {
  readonly #methods: ReadonlyMap<string, MethodEntry>;
  readonly #report: ReportDefect;

  constructor(methods: ReadonlyMap<string, MethodEntry>, report: ReportDefect) {
    this.#methods = methods;
    this.#report = report;
  }

  /** Whether there is such a method on this surface. */
  has(method: string, surface: Surface): boolean {
    return this.#find(method, surface) !== undefined;
  }

  /** Serves one request. Rejects with RpcError and nothing else. */
  async dispatch(invocation: Invocation): Promise<Answer> {
    try {
      const entry = this.#find(invocation.method, invocation.surface);
      if (entry?.chargesItself !== true) invocation.charge();
      if (entry === undefined) throw methodNotFound();
      const answer = await entry.serve(hasParams(invocation) ? invocation : { ...invocation, params: {} });
      return isAnswer(answer) ? answer : { result: answer, weight: 0, release: () => undefined };
    } catch (error) {
      throw this.#asRpcError(error, invocation.request);
    }
  }

  #find(method: string, surface: Surface): MethodEntry | undefined {
    const entry = this.#methods.get(method);
    return entry?.surfaces?.includes(surface) === false ? undefined : entry;
  }

  #asRpcError(error: unknown, request: string): RpcError {
    if (error instanceof RpcError) return error;
    if (error instanceof StewardError) return RpcError.of(CODES.internal, error);
    this.#report(error, request);
    return RpcError.of(CODES.internal, new StewardError('internal', { request }));
  }
}

/** False when none were given. Throws for params that are no object. */
function hasParams(invocation: Invocation): invocation is MethodCall {
  const { params } = invocation;
  if (params === undefined) return false;
  if (typeof params !== 'object' || params === null || Array.isArray(params)) throw invalidParams();
  return true;
}

function isAnswer(value: JsonNode | Answer): value is Answer {
  return typeof value === 'object' && value !== null && 'release' in value && typeof value.release === 'function';
}
