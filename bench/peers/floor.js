/**
 * The floor: the least that node:https and SSE can cost for one tool. It reads the body, reads the load average, answers 202 and
 * writes one event; no sessions, no limits, no log, no checks. Prints its port.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';

const [certFile, keyFile] = process.argv.slice(2);
const streams = new Map();

function openStream(response) {
  const id = String(streams.size + 1);
  streams.set(id, response);
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(`event: endpoint\ndata: /message?session_id=${id}\n\n`);
}

function resultOf(method) {
  if (method !== 'tools/call')
    return { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 'floor', version: '1' } };
  const [one, five, fifteen] = readFileSync('/proc/loadavg', 'utf8').split(' ');
  return { content: [{ type: 'text', text: `Load Average: ${one}, ${five}, ${fifteen}` }] };
}

function take(request, response) {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (piece) => (body += piece));
  request.on('end', () => {
    const { id, method } = JSON.parse(body);
    response.writeHead(202, { 'Content-Type': 'text/plain', 'Content-Length': 8 }).end('Accepted');
    const stream = streams.get(request.url.slice(request.url.indexOf('=') + 1));
    stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method) })}\n\n`);
  });
}

const options = { cert: readFileSync(certFile), key: readFileSync(keyFile), keepAliveTimeout: 600_000 };
const server = createServer(options, (request, response) =>
  request.method === 'GET' ? openStream(response) : take(request, response),
);
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
