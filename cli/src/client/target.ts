/** Where to connect and as whom, and what a request may be given beside its parameters. */
import type { Trust } from './trust.ts';

export interface Target {
  /** Base address, without the path of an endpoint. */
  readonly url: URL;
  readonly trust: Trust;
  readonly token: string;
}

/** One notice of a call that takes long: a count that only grows, and what is counted. */
export interface Progress {
  readonly progress: number;
  readonly message: string;
}

export interface RequestOptions {
  /** When it fires, the server is made to stop the work, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Told while the call runs; without it the server is not asked for notices. */
  readonly progress?: ((notice: Progress) => void) | undefined;
}
