/**
 * For tests alone: a container engine on a Unix socket that answers what a test tells it to and keeps what it was asked. It does what
 * a real one will not do on demand: answers without end, half answers, nonsense, old versions.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../engine/client.ts';
import type { Engine } from '../engine/engine.ts';
import { ENGINE_ROUTES, PING_ROUTE } from '../engine/routes.ts';
import { openTransport } from '../engine/transport.ts';

export interface EngineCall {
  /** Route template, or method and path when it is none of the known ones. */
  readonly route: string;
  /** As sent, with version and query. */
  readonly url: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Settles when the client has closed the connection or the answer is complete. */
  readonly closed: Promise<void>;
}

/** JSON to answer, or what to do with the response. */
export type EngineAnswer =
  Readonly<Record<string, unknown>> | readonly unknown[] | ((response: ServerResponse, call: EngineCall) => void);

export interface FakeEngine extends AsyncDisposable {
  readonly socket: string;
  readonly calls: EngineCall[];
  /** Routes that were asked for, each once, without the ping. */
  routes(): Set<string>;
  /** A client for it, over the real transport. */
  open(signal?: AbortSignal): Promise<Engine>;
}

/** `answers` by route template; anything else is answered as a real engine answers what it does not know. */
export async function fakeEngine(answers: Readonly<Record<string, EngineAnswer>>, version = '1.41'): Promise<FakeEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'steward-engine-'));
  const socket = join(directory, 'engine.sock');
  const calls: EngineCall[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method = '', url = '' } = request;
      const sent = Buffer.concat(pieces).toString();
      const { pathname, searchParams } = new URL(url, 'http://engine');
      const route = templateOf(method, pathname);
      const query = Object.fromEntries(searchParams);
      const closed = once(response, 'close').then(() => undefined);
      const call = { route, url, query, body: sent === '' ? undefined : (JSON.parse(sent) as unknown), closed };
      if (route === PING_ROUTE) return void response.setHeader('Api-Version', version).end('OK');
      calls.push(call);
      const answer = answers[route];
      if (typeof answer === 'function') answer(response, call);
      else if (answer === undefined) fail(response, 404, 'page not found');
      else response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answer));
    });
  });
  server.listen(socket);
  await once(server, 'listening');
  return {
    socket,
    calls,
    routes: () => new Set(calls.map((call) => call.route)),
    open: (signal = new AbortController().signal) => openEngine(openTransport(socket), socket, signal),
    async [Symbol.asyncDispose](): Promise<void> {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      rmSync(directory, { recursive: true });
    },
  };
}

/** A status with the engine's usual words. */
export function fail(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ message }));
}

/** Output as the engine frames it. */
export function frame(stream: 'stdout' | 'stderr', content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(8);
  header[0] = stream === 'stdout' ? 1 : 2;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

function templateOf(method: string, pathname: string): string {
  const path = pathname.replace(/^\/v1\.\d+/, '');
  const route = [...ENGINE_ROUTES, PING_ROUTE].find((one) => {
    const [wanted, template = ''] = one.split(' ');
    return wanted === method && new RegExp(`^${template.replace(/\{\w+\}/, '[^/]+')}$`).test(path);
  });
  // `GET /volumes/{volume}` would take any word; those that are routes of their own come first in the table.
  return route ?? `${method} ${pathname}`;
}
