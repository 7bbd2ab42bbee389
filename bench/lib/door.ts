/**
 * Ways into any MCP server, the same for steward and for those that it is compared with: HTTP with SSE and Streamable HTTP, on kept
 * connections, with or without TLS. What they cost counts for every contestant alike.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { readEvents } from './client.ts';

export interface Target {
  readonly url: string;
  /** PEM of the certificate; absent for plain HTTP. */
  readonly ca?: string;
  readonly token?: string;
}

/** An open session. */
export interface Door {
  /** Asks and resolves to the answer as JSON text. Rejects for an answer that is an error. */
  ask(method: string, params: object): Promise<string>;
  close(): void;
}

const PROTOCOL = '2025-06-18';
/**
 * Milliseconds after which an idle connection is closed. Without it Node's agent keeps one for ever, whatever the server told it, and
 * sooner or later sends into one that the server is closing.
 */
const IDLE_MS = 30_000;
/** Parameters of the first request of a session. */
export const INITIALIZE = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: 'bench', version: '1' } };

/** One client's connections. */
class Line {
  readonly #target: Target;
  readonly #agent: HttpAgent;

  constructor(target: Target) {
    this.#target = target;
    const kept = { keepAlive: true, maxSockets: 64, timeout: IDLE_MS };
    this.#agent = target.ca === undefined ? new HttpAgent(kept) : new HttpsAgent({ ...kept, ca: target.ca });
  }

  open(method: string, path: string, body?: string, more: Record<string, string> = {}): Promise<IncomingMessage> {
    const { url, ca, token } = this.#target;
    const headers: Record<string, string> = { accept: 'application/json, text/event-stream', ...more };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    if (body !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = String(Buffer.byteLength(body));
    }
    const options: RequestOptions = { method, headers, agent: this.#agent };
    return new Promise((done, fail) => {
      const outgoing = (ca === undefined ? httpRequest : httpsRequest)(new URL(path, url), options, done);
      outgoing.on('error', fail).end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

const dataOf = (event: string): string => {
  const at = event.indexOf('data: ') + 'data: '.length;
  return event.slice(at).trimEnd();
};

/** The answer, unless it is an error. */
export function checked(answer: string): string {
  if (answer.includes('"error":{') || answer.includes('"isError":true')) throw new Error(answer.slice(0, 500));
  return answer;
}

const bodyOf = (id: number, method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** HTTP with SSE, revision 2024-11-05. */
export async function sseDoor(target: Target): Promise<Door> {
  const line = new Line(target);
  const stream = await line.open('GET', '/sse');
  const waiting = new Map<number, (answer: string) => void>();
  const endpoint = Promise.withResolvers<string>();
  readEvents(stream, (event) => {
    const data = dataOf(event);
    if (event.startsWith('event: endpoint')) endpoint.resolve(data);
    if (!event.startsWith('event: message')) return;
    const id = Number(/"id":(\d+)/.exec(data)?.[1]);
    waiting.get(id)?.(data);
    waiting.delete(id);
  });
  const path = await endpoint.promise;
  let next = 0;
  const ask = async (method: string, params: object): Promise<string> => {
    const id = ++next;
    const answer = new Promise<string>((done) => waiting.set(id, done));
    const accepted = await line.open('POST', path, bodyOf(id, method, params));
    accepted.resume();
    if (accepted.statusCode !== 202) throw new Error(`POST answered ${String(accepted.statusCode)}`);
    return checked(await answer);
  };
  const close = (): void => {
    stream.destroy();
    line.close();
  };
  await ask('initialize', INITIALIZE);
  return { ask, close };
}

/** Streamable HTTP with a session; the answer comes as JSON or as the only event of a stream. */
export async function streamableDoor(target: Target): Promise<Door> {
  const line = new Line(target);
  let session: Record<string, string> = {};
  let next = 0;
  const ask = async (method: string, params: object): Promise<string> => {
    const reply = await line.open('POST', '/mcp', bodyOf(++next, method, params), session);
    const given = reply.headers['mcp-session-id'];
    if (typeof given === 'string') session = { 'mcp-session-id': given, 'mcp-protocol-version': PROTOCOL };
    const said = await text(reply);
    if (reply.statusCode !== 200) throw new Error(`POST answered ${String(reply.statusCode)}: ${said.slice(0, 200)}`);
    return checked(said.startsWith('{') ? said : dataOf(said));
  };
  await ask('initialize', INITIALIZE);
  const ready = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  (await line.open('POST', '/mcp', ready, session)).resume();
  return { ask, close: () => line.close() };
}
