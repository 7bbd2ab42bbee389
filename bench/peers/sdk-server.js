/**
 * The same tool on the official SDK 1.x, over TLS, as its documentation shows it: HTTP with SSE at /sse and Streamable HTTP at /mcp.
 * It runs with Node's own flags, so with a JIT. Prints its port.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { URL } from 'node:url';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [certFile, keyFile] = process.argv.slice(2);
const transports = new Map();

function newServer() {
  const server = new Server({ name: 'sdk', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, async () => {
    const [one, five, fifteen] = (await readFile('/proc/loadavg', 'utf8')).split(' ');
    return { content: [{ type: 'text', text: `Load Average: ${one}, ${five}, ${fifteen}` }] };
  });
  return server;
}

async function newSession() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  await newServer().connect(transport);
  return transport;
}

async function serve(request, response) {
  const url = new URL(request.url, 'https://localhost');
  if (url.pathname === '/sse') {
    const transport = new SSEServerTransport('/message', response);
    transports.set(transport.sessionId, transport);
    await newServer().connect(transport);
  } else if (url.pathname === '/message') {
    await transports.get(url.searchParams.get('sessionId')).handlePostMessage(request, response);
  } else {
    const transport = transports.get(request.headers['mcp-session-id']) ?? (await newSession());
    await transport.handleRequest(request, response);
  }
}

const options = { cert: readFileSync(certFile), key: readFileSync(keyFile), keepAliveTimeout: 600_000 };
const server = createServer(options, (request, response) => void serve(request, response));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
