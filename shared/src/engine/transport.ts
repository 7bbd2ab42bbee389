/**
 * The one file that knows dockerode. It is bundled on its own and loaded by the broker on the first docker operation; it gets paths
 * that routes.ts has made, and hands over answers unread: dockerode's own methods would collect them in memory, whatever their size.
 */
import type { IncomingMessage } from 'node:http';
// @ts-expect-error -- the package has no types; what is used of it is declared below
import Dockerode from 'dockerode';
import type { Outgoing, Transport } from './engine.ts';

interface DialOptions {
  readonly path: string;
  readonly method: string;
  readonly options: { readonly _query: object; readonly _body: object };
  readonly abortSignal: AbortSignal;
  readonly isStream: true;
  readonly statusCodes: Readonly<Record<number, true>>;
}

interface Modem {
  dial(options: DialOptions, callback: (error: Error | null, response: IncomingMessage) => void): void;
}

type DockerodeClass = new (options: Readonly<Record<string, unknown>>) => { readonly modem: Modem };

/** Every status is an answer for us to judge, not an error whose text is collected without a limit. */
const STATUS_CODES = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [index + 100, true as const]));

/** A connection per request: none is left open when a call is over, and none is used that the engine is about to close. */
const HEADERS = { Connection: 'close' };

/** A way to the engine that listens on `socketPath`; `host` is given so that no environment variable names another. */
export function openTransport(socketPath: string): Transport {
  const { modem } = new (Dockerode as DockerodeClass)({ socketPath, host: '', protocol: 'http', headers: HEADERS });
  return ({ method, path, body, signal }: Outgoing) =>
    new Promise((resolve, reject) => {
      // The query stands in the path already; an empty body is not sent.
      const options = { _query: {}, _body: body ?? {} };
      modem.dial({ path, method, options, abortSignal: signal, isStream: true, statusCodes: STATUS_CODES }, (error, response) => {
        if (error !== null) reject(error);
        else resolve(response);
      });
    });
}
