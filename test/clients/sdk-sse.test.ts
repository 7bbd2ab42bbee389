/** The official SDK's client over its SSE transport: what users of Claude Code, the Inspector and others run underneath. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { startPair, type Pair } from '../support/pair.ts';

let pair: Pair;
let client: Client;
let directory: string;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'steward-sdk-'));
  chmodSync(directory, 0o755);
  pair = await startPair({ grants: '  ops:\n    tools:\n      files/read: {allowed: true, paths: [/etc]}\n' });
  client = await connect();
});
after(async () => {
  await client.close();
  await pair.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Trusts the pair's certificate as NODE_EXTRA_CA_CERTS does it for users. */
async function connect(): Promise<Client> {
  setDefaultCACertificates([...getCACertificates('default'), pair.ca]);
  const headers = { Authorization: `Bearer ${pair.token('ops')}` };
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the transport under test
  const transport = new SSEClientTransport(new URL(`${pair.url}/sse`), {
    requestInit: { headers },
    eventSourceInit: { fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...headers } }) },
  });
  const made = new Client({ name: 'sdk-test', version: '1.0.0' });
  await made.connect(transport);
  return made;
}

test('initialize', () => {
  assert.equal(client.getServerVersion()?.name, 'steward');
  assert.match(client.getServerVersion()?.version ?? '', /^\d+\.\d+\.\d+$/);
  assert.deepEqual(client.getServerCapabilities(), { resources: {}, tools: {} });
});

test('ping', async () => {
  assert.deepEqual(await client.ping(), {});
});

test('tools are listed with schemas and hints', async () => {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  for (const name of ['files/list', 'files/chown', 'kernel/system-control', 'cpu/load-average', 'daemon/reload-config']) {
    assert.ok(names.includes(name), name);
  }
  for (const tool of tools) {
    assert.equal(tool.inputSchema.type, 'object');
    assert.equal(typeof tool.annotations?.readOnlyHint, 'boolean');
  }
});

test('calls: a value, a file, a failure', async () => {
  const load = await client.callTool({ name: 'cpu/load-average', arguments: { output_format: 'json' } });
  const [content] = load.content as { text: string }[];
  assert.deepEqual(Object.keys(JSON.parse(content?.text ?? '') as object), ['1_min', '5_min', '15_min']);
  const path = join(directory, 'made');
  writeFileSync(path, 'line one\nline two\n');
  const read = await client.callTool({ name: 'files/read', arguments: { path, start_line: 2 } });
  assert.deepEqual(read.content, [{ type: 'text', text: 'line two\n' }]);
  const refused = await client.callTool({ name: 'files/create', arguments: { path: '/etc/x', content: 'x', privileged: true } });
  assert.equal(refused.isError, true);
  await assert.rejects(client.callTool({ name: 'no/such', arguments: {} }), /unknown tool: no\/such/);
});

test('resources and templates', async () => {
  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.uri === 'os://uname'));
  const uname = await client.readResource({ uri: 'os://uname' });
  const [content] = uname.contents as { text: string }[];
  assert.match(content?.text ?? '', /^Sysname: Linux\nNodename: .+\nRelease: .+\nVersion: .+\nMachine: /);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.ok(resourceTemplates.some((template) => template.uriTemplate === 'file:///{path}'));
  const stat = await client.readResource({ uri: 'file:///etc/passwd/stat' });
  const [json] = stat.contents as { text: string; mimeType: string }[];
  assert.equal(json?.mimeType, 'application/json');
  assert.equal((JSON.parse(json?.text ?? '') as { is_dir: boolean }).is_dir, false);
});
