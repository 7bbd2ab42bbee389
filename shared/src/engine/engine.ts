/**
 * The container engine as operations see it: requests of a fixed list, answers of a bounded size. How it is reached is the
 * business of client.ts; in the broker alone.
 */
import type { IncomingMessage } from 'node:http';
import type { EngineRoute, RequestLine } from './routes.ts';

export interface EngineRequest {
  readonly route: EngineRoute;
  /** What the route's place becomes: an id, or the exact name of a volume, that the engine itself listed. */
  readonly object?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Closes the request when it is aborted. */
  readonly signal: AbortSignal;
}

/**
 * All methods reject with a StewardError: what the engine answered (`docker_api` and its kin), that it cannot be reached, that its
 * answer is too large or broken, or why the signal was aborted.
 */
export interface Engine {
  /** Minor number of the API version that the engine speaks: 41 for 1.41. */
  readonly minor: number;
  /** The answer's JSON. */
  read(request: EngineRequest): Promise<unknown>;
  /** `unchanged` when the engine says that there was nothing to do (status 304). */
  act(request: EngineRequest): Promise<'ok' | 'unchanged'>;
  /** The answer's body as it comes. Whoever stops reading early ends the request with it. */
  stream(request: EngineRequest): Promise<AsyncIterable<Buffer>>;
}

/** Opens the engine for one call: asks whether it is there and which version it speaks. */
export type OpenEngine = (signal: AbortSignal) => Promise<Engine>;

/** One request on its way. */
export interface Outgoing extends RequestLine {
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly signal: AbortSignal;
}

/** Sends a request and resolves to the answer's beginning, whatever its status. Rejects with raw system errors. */
export type Transport = (request: Outgoing) => Promise<IncomingMessage>;

/** What the separately loaded file exports. */
export interface TransportModule {
  openTransport(socketPath: string): Transport;
}
