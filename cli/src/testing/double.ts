/**
 * A stand-in for the daemon in unit tests: HTTPS with a certificate of its own on loopback, one endpoint without sessions, and on
 * request an older one with an event stream. It keeps what it was asked, and can be made to misbehave.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makePair, type Pair } from '@steward/certs/certificate.ts';

export const TOKEN = 'a'.repeat(64);

export interface Asked {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}
/** What a request is answered with; undefined: never. */
export type Reply = { readonly result: unknown } | { readonly error: unknown } | undefined;

export interface Double {
  readonly url: string;
  readonly certificate: string;
  readonly fingerprint: string;
  /** Requests and notifications in order. */
  readonly asked: Asked[];
  /** Authorization headers of all HTTP requests. */
  readonly authorizations: (string | undefined)[];
  /** TCP connections that were made. */
  connections(): number;
  /** Requests whose client hung up before the answer. */
  abandoned(): number;
  close(): Promise<void>;
}

export interface DoubleOptions {
  /** Answers of methods; `tools/list` and its like are answered from the recorded lists unless given here. */
  readonly answers?: Readonly<Record<string, (params: Record<string, unknown>) => Reply>>;
  /** Data of the endpoint event. */
  readonly endpoint?: string;
  /** Status of POST instead of 202. */
  readonly postStatus?: number;
  /** Knows only the older transport, a session over an event stream. */
  readonly old?: boolean;
  /** Address to listen on; the certificate is for 127.0.0.1. */
  readonly host?: string;
}

const lists = JSON.parse(readFileSync(new URL('../fixtures/lists.json', import.meta.url), 'utf8')) as Record<string, unknown>;

/** A text answer of a tool. */
export function text(value: string, more: Record<string, unknown> = {}): Reply {
  return { result: { content: [{ type: 'text', text: value }], ...more } };
}

const STANDARD: Readonly<Record<string, Reply>> = {
  initialize: {
    result: {
      capabilities: { resources: {}, tools: {} },
      protocolVersion: '2024-11-05',
      serverInfo: { name: 'steward', version: '9.8.7' },
    },
  },
  'tools/list': { result: { tools: lists['tools'] } },
  'resources/list': { result: { resources: lists['resources'] } },
  'resources/templates/list': { result: { resourceTemplates: lists['resourceTemplates'] } },
  'server/discover': { result: { _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'steward', version: '9.8.7' } } } },
  ping: { result: {} },
};

let made: Promise<Pair> | undefined;

async function bodyOf(request: IncomingMessage): Promise<Asked> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString('utf8')) as Asked;
}

export async function startDouble(options: DoubleOptions = {}): Promise<Double> {
  made ??= makePair(['localhost', '127.0.0.1']);
  const { key, cert: certificate } = await made;
  const asked: Asked[] = [];
  const authorizations: (string | undefined)[] = [];
  const streams = new Set<ServerResponse>();
  let connections = 0;
  let abandoned = 0;

  const replyTo = (message: Asked): Reply => {
    const make = options.answers?.[message.method];
    return make === undefined ? STANDARD[message.method] : make(message.params ?? {});
  };
  const answer = (message: Asked): void => {
    const reply = replyTo(message);
    if (message.id === undefined || reply === undefined) return;
    for (const stream of streams)
      stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply })}\n\n`);
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    authorizations.push(request.headers.authorization);
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      response.writeHead(401, { 'www-authenticate': 'Bearer realm="steward"' }).end('Unauthorized');
    } else if (request.url === '/mcp' && options.old === true) {
      response.writeHead(404).end('not found');
    } else if (request.url === '/mcp') {
      const message = await bodyOf(request);
      asked.push(message);
      response.on('close', () => (abandoned += response.writableFinished ? 0 : 1));
      const reply = replyTo(message);
      if (reply === undefined) return;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply }));
    } else if (request.method === 'GET') {
      streams.add(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${options.endpoint ?? '/message?session_id=one'}\n\n`);
    } else {
      const message = await bodyOf(request);
      asked.push(message);
      response.writeHead(options.postStatus ?? 202).end(options.postStatus === undefined ? '' : 'no');
      if (options.postStatus === undefined) answer(message);
    }
  };
  const server = createServer({ key, cert: certificate }, (request, response) => void serve(request, response));
  server.on('connection', () => (connections += 1));
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((done) => server.listen(0, options.host ?? '127.0.0.1', done));
  return {
    url: `https://${options.host ?? '127.0.0.1'}:${(server.address() as AddressInfo).port}`,
    certificate,
    fingerprint: new X509Certificate(certificate).fingerprint256,
    asked,
    authorizations,
    connections: () => connections,
    abandoned: () => abandoned,
    close: async () => {
      for (const stream of streams) stream.end();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
