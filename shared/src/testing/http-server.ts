/** For unit tests alone: an HTTP or HTTPS server on loopback that keeps what it was asked. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  /** Name, value, name, value, .. as received. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The address of ours that was connected to. */
  readonly address: string;
}

export interface HttpDouble extends AsyncDisposable {
  readonly port: number;
  readonly seen: readonly SeenRequest[];
}

export interface HttpDoubleOptions {
  /** Default 127.0.0.1. */
  readonly address?: string;
  /** Makes it an HTTPS server; PEM. */
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** `answer` is called when the whole request is there. */
export async function httpDouble(
  answer: (request: SeenRequest, response: ServerResponse) => void,
  { address = '127.0.0.1', tls }: HttpDoubleOptions = {},
): Promise<HttpDouble> {
  const seen: SeenRequest[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', rawHeaders, headers, socket } = request;
      const body = Buffer.concat(chunks).toString();
      const one = { method, url, rawHeaders, headers, body, address: socket.localAddress ?? '' };
      seen.push(one);
      answer(one, response);
    });
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.on('tlsClientError', () => undefined);
  server.listen(0, address);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
