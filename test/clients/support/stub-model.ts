/**
 * A model of a few lines behind the Messages API, on loopback: it calls one tool and then says that it has seen the result. So a real
 * agent can be driven to the end without any model and without any other network.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubModel {
  readonly url: string;
  /** Names of the tools that the agent offered, over all requests. */
  readonly offered: ReadonlySet<string>;
  /** What the agent sent back as results of the tool. */
  readonly results: readonly string[];
  stop(): void;
}

export interface Wish {
  readonly tool: string;
  readonly input: object;
}

interface Asked {
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages?: readonly { readonly content: string | readonly { readonly type: string; readonly content?: unknown }[] }[];
}

export async function startStubModel(wish: Wish): Promise<StubModel> {
  const offered = new Set<string>();
  const results: string[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, wish, offered, results);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, offered, results, stop };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  wish: Wish,
  offered: Set<string>,
  results: string[],
): Promise<void> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece as string;
  if (request.method !== 'POST' || !request.url?.startsWith('/v1/messages')) {
    response.writeHead(404).end();
    return;
  }
  if (request.url.includes('count_tokens')) return json(response, { input_tokens: 1 });
  const asked = JSON.parse(text) as Asked;
  for (const { name } of asked.tools ?? []) offered.add(name);
  const blocks = (asked.messages ?? []).flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const seen = blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => JSON.stringify(content));
  results.push(...seen);
  // Requests on the side (a title for the conversation) offer no tools.
  const wants = seen.length === 0 && (asked.tools ?? []).length > 0;
  const block = wants
    ? { type: 'tool_use', id: 'toolu_1', name: wish.tool, input: wish.input }
    : { type: 'text', text: seen.length > 0 ? 'the stub has seen the result' : 'nothing to do' };
  if (asked.stream === true) stream(response, block);
  else json(response, message([block]));
}

function message(content: readonly { readonly type: string }[]): object {
  const reason = content[0]?.type === 'tool_use' ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 1, output_tokens: 1 };
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'stub',
    content,
    stop_reason: reason,
    stop_sequence: null,
    usage,
  };
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

type Block = { readonly type: string; readonly input?: object; readonly text?: string };

/** The events of a streamed answer with one block. */
function stream(response: ServerResponse, block: Block): void {
  const isTool = block.type === 'tool_use';
  const start = isTool ? { ...block, input: {} } : { type: 'text', text: '' };
  const delta = isTool
    ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    : { type: 'text_delta', text: block.text };
  const events = [
    { type: 'message_start', message: { ...message([]), stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: start },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: isTool ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: 'message_stop' },
  ];
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
