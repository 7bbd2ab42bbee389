/** `stewardctl stdio` as a host starts it: the official SDK over its pipes, and what becomes of it when something is wrong. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { DIST, eventually, startPair, type Pair } from '../support/pair.ts';

let pair: Pair;
before(async () => {
  pair = await startPair({ grants: '  ops:\n    tools:\n      daemon/reload-config: {allowed: true}\n' });
  for (const [name, token] of Object.entries({ ops: pair.token('ops'), wrong: 'f'.repeat(64) })) {
    writeFileSync(join(pair.directory, `${name}.token`), token, { mode: 0o600 });
  }
});
after(() => pair.stop());

const program = join(DIST, 'stewardctl.js');
const flags = (user = 'ops', url = pair.url): string[] => [
  ...['--server', url, '--ca-file', join(pair.configDir, 'tls/steward.crt')],
  ...['--token-file', join(pair.directory, `${user}.token`)],
];

async function connect(...words: string[]): Promise<Client> {
  const client = new Client({ name: 'stdio-test', version: '1.0.0' });
  const args = [program, ...flags(), 'stdio', ...words];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: { HOME: pair.directory } }));
  return client;
}

test('a host gets everything: tools, calls, resources, notices', async () => {
  const client = await connect();
  assert.equal(client.getServerVersion()?.name, 'steward');
  assert.ok((await client.listTools()).tools.some(({ name }) => name === 'files/list'));
  const result = await client.callTool({ name: 'files/list', arguments: { path: '/etc' } });
  assert.match((result.content as { text: string }[])[0]?.text ?? '', /passwd/);
  let told = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    told += 1;
  });
  await client.callTool({ name: 'daemon/reload-config' });
  await eventually(() => told > 0);
  await client.close();
});

test('names without a slash', async () => {
  const client = await connect('underscore');
  const { tools } = await client.listTools();
  assert.ok(tools.every(({ name }) => /^[a-zA-Z0-9_-]{1,64}$/.test(name)));
  assert.equal((await client.callTool({ name: 'files_list', arguments: { path: '/' } })).isError, undefined);
  await client.close();
});

/** Runs it with this input to its end. */
async function run(args: readonly string[], input: string): Promise<{ exit: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [program, ...args], { env: { HOME: pair.directory } });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdin.on('error', () => undefined); // it may have ended already
  child.stdin.end(input);
  const [exit] = (await once(child, 'close')) as [number | null];
  return { exit, out, err };
}

test('input that ends: what was asked is answered first', async () => {
  const call = { jsonrpc: '2.0', id: 'é', method: 'tools/call', params: { name: 'cpu/load-average' } };
  const { exit, out } = await run([...flags(), 'stdio'], `${JSON.stringify(call)}\n\nnonsense\n`);
  assert.equal(exit, 0);
  const answers = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string | null; error?: { code: number } });
  assert.deepEqual(
    answers.map(({ id, error }) => [id, error?.code]).sort(),
    [
      ['é', undefined],
      [null, -32700],
    ].sort(),
  );
});

test('no daemon, a bad token, a word too many', async () => {
  const gone = await run([...flags('ops', 'https://127.0.0.1:1'), 'stdio'], '');
  assert.deepEqual([gone.exit, gone.out], [3, '']);
  assert.match(gone.err, /connection refused/);
  const refused = await run([...flags('wrong'), 'stdio'], '');
  assert.deepEqual([refused.exit, refused.out], [4, '']);
  assert.equal((await run([...flags(), 'stdio', 'dots'], '')).exit, 2);
});
