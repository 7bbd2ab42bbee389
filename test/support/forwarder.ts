/**
 * Plain HTTP on loopback in, HTTPS with a bearer token out, everything else as it came (Host and Origin too): for clients that can
 * send neither a token nor trust a certificate.
 */
import { createServer, type Server } from 'node:http';
import { Agent, request } from 'node:https';

export interface Forwarder {
  readonly url: string;
  stop(): Promise<void>;
}

export interface ForwardTo {
  readonly port: number;
  readonly ca: string;
  readonly token: string;
}

export async function startForwarder({ port, ca, token }: ForwardTo): Promise<Forwarder> {
  const agent = new Agent({ ca, keepAlive: true, servername: 'localhost', checkServerIdentity: () => undefined });
  const server = createServer((incoming, response) => {
    const { method, url = '/', headers } = incoming;
    const outgoing = request({
      host: '127.0.0.1',
      port,
      agent,
      method,
      path: url,
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    outgoing.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${portOf(server)}`, stop: () => stop(server, agent) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function stop(server: Server, agent: Agent): Promise<void> {
  const closed = new Promise((done) => server.close(done));
  server.closeAllConnections();
  agent.destroy();
  await closed;
}
