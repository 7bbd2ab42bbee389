/** The official SDK 1.x over Streamable HTTP and over WebSocket: the same checks over both. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import WebSocket from 'ws';
import { eventually, startPair, type Pair } from '../support/pair.ts';

let pair: Pair;
before(async () => {
  pair = await startPair({ grants: '  ops:\n    tools:\n      daemon/reload-config: {allowed: true}\n' });
  // Trusts the pair's certificate as NODE_EXTRA_CA_CERTS does it for users.
  setDefaultCACertificates([...getCACertificates('default'), pair.ca]);
});
after(() => pair.stop());

const headers = (): Record<string, string> => ({ Authorization: `Bearer ${pair.token('ops')}` });

/** The transport takes the global WebSocket and gives it no headers: a client that needs them puts its own there. */
function webSocket(): Transport {
  class WithToken extends WebSocket {
    constructor(url: URL, protocols: string) {
      super(url, protocols, { headers: headers(), ca: pair.ca });
    }
  }
  Object.assign(globalThis, { WebSocket: WithToken });
  return new WebSocketClientTransport(new URL(`${pair.url.replace('https', 'wss')}/ws`));
}

const TRANSPORTS: Readonly<Record<string, () => Transport>> = {
  'Streamable HTTP': () => new StreamableHTTPClientTransport(new URL(`${pair.url}/mcp`), { requestInit: { headers: headers() } }),
  WebSocket: webSocket,
};

for (const [name, transport] of Object.entries(TRANSPORTS)) {
  describe(name, () => {
    let client: Client;
    before(async () => {
      client = new Client({ name: 'sdk-test', version: '1.0.0' });
      await client.connect(transport());
    });
    after(() => client.close());

    test('handshake', async () => {
      assert.equal(client.getServerVersion()?.name, 'steward');
      const capabilities = { completions: {}, resources: {}, tools: { listChanged: true } };
      assert.deepEqual(client.getServerCapabilities(), capabilities);
      assert.match(client.getInstructions() ?? '', /privileged/);
      assert.deepEqual(await client.ping(), {});
    });

    test('tools: slash names, copies in _meta, calls, data beside JSON and never beside text', async () => {
      const { tools } = await client.listTools();
      const list = tools.find((tool) => tool.name === 'files/list');
      assert.deepEqual(list?._meta, { 'steward/tools_group': 'files', 'steward/cli_verb': 'list' });
      const text = await client.callTool({ name: 'files/list', arguments: { path: '/etc' } });
      assert.equal(text.structuredContent, undefined);
      const json = await client.callTool({ name: 'files_list', arguments: { path: '/etc', output_format: 'json' } });
      const [content] = json.content as { text: string }[];
      assert.deepEqual(json.structuredContent, { items: JSON.parse(content?.text ?? '') as unknown });
      const failed = await client.callTool({ name: 'files/read', arguments: { path: '/no/such' } });
      assert.deepEqual([failed.isError, failed.structuredContent], [true, undefined]);
      await assert.rejects(client.callTool({ name: 'no/such' }), /unknown tool: no\/such/);
    });

    test('a tool that declares its result is validated by the client', async () => {
      await client.listTools();
      const port = pair.port;
      const { structuredContent } = await client.callTool({ name: 'network/ping', arguments: { host: '127.0.0.1', port } });
      assert.equal((structuredContent as { success: boolean }).success, true);
    });

    test('resources', async () => {
      const { contents } = await client.readResource({ uri: 'os://uname' });
      assert.match((contents[0] as { text: string }).text, /^Sysname: Linux\n/);
      await assert.rejects(client.readResource({ uri: 'no://such' }), { code: -32002 });
    });

    test('completion', async () => {
      const ref = { type: 'ref/resource', uri: 'network://interfaces/{name}' } as const;
      const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'l' } });
      assert.ok(completion.values.includes('lo'), completion.values.join(' '));
    });

    test('is told that the list of tools may have changed', async () => {
      let told = 0;
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
        told += 1;
      });
      await eventually(async () => {
        await client.callTool({ name: 'daemon/reload-config' });
        return told > 0;
      });
    });

    test('progress of a walk', async () => {
      const counts: number[] = [];
      const options = { onprogress: ({ progress }: { progress: number }) => counts.push(progress) };
      await client.callTool({ name: 'files/find', arguments: { path: '/', name: 'no-such-name' } }, undefined, options);
      assert.ok(counts.length > 0);
      assert.deepEqual(
        counts,
        counts.toSorted((one, other) => one - other),
      );
    });

    test('cancellation', async () => {
      const stop = AbortSignal.timeout(100);
      const call = client.callTool({ name: 'files/find', arguments: { path: '/', name: 'no-such-name' } }, undefined, {
        signal: stop,
      });
      await assert.rejects(call);
      assert.deepEqual(await client.ping(), {});
    });
  });
}
