/** Real clients that are programs or packages of their own, each with a bearer token and the pair's certificate trusted by its means. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { startPair, type Pair } from '../support/pair.ts';
import { CLIENTS, missing } from './support/installed.ts';
import { runNode, type Ended } from './support/spawned.ts';

let pair: Pair;
before(async () => {
  pair = await startPair();
});
after(() => pair.stop());

const certificate = (): string => join(pair.configDir, 'tls/steward.crt');
const trust = (): Record<string, string> => ({ NODE_EXTRA_CA_CERTS: certificate(), TOKEN: pair.token('ops') });
const driver = (name: string): string => join(CLIENTS, 'drivers', `${name}.mjs`);

function lastLine<T>({ status, stdout, stderr }: Ended): T {
  assert.equal(status, 0, stderr.slice(-2000));
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as T;
}

describe('SDK 2.x', () => {
  const skip = missing('@modelcontextprotocol/client');
  const modes = { auto: '2026-07-28', '2026-07-28': '2026-07-28', legacy: '2025-11-25', sse: '2024-11-05' };
  for (const [mode, version] of Object.entries(modes)) {
    test(mode, { skip }, async () => {
      const ended = await runNode([driver('sdk2'), `${pair.url}${mode === 'sse' ? '/sse' : '/mcp'}`, mode], { env: trust() });
      const seen = lastLine<{
        version: string;
        server: string;
        tools: string[];
        items: number;
        failed: boolean;
        uname: string;
        unknown: number;
      }>(ended);
      assert.equal(seen.version, version);
      assert.equal(seen.server, 'steward');
      assert.ok(seen.tools.includes('files/list'));
      assert.equal(seen.items > 0, mode !== 'sse'); // the first revision has no data beside the text
      assert.equal(seen.failed, true);
      assert.match(seen.uname, /^Sysname: Linux/);
      assert.equal(seen.unknown, version === '2026-07-28' ? -32602 : -32002);
    });
  }
});

describe('AI SDK', () => {
  const skip = missing('@ai-sdk/mcp');
  for (const [type, path] of Object.entries({ http: '/mcp', sse: '/sse' })) {
    test(`${type}, with names that model interfaces take`, { skip }, async () => {
      const ended = await runNode([driver('ai-sdk'), `${pair.url}${path}?names=underscore`, type], { env: trust() });
      const { names, text } = lastLine<{ names: string[]; text: string }>(ended);
      assert.ok(names.length > 10 && names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name)), names.join(' '));
      assert.match(text, /passwd/);
    });
  }
});

describe('Inspector', () => {
  const skip = missing('@modelcontextprotocol/inspector');
  const program = join(CLIENTS, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  for (const path of ['/mcp', '/sse']) {
    const ask = (...args: string[]): Promise<Ended> => {
      const header = ['--header', `Authorization: Bearer ${pair.token('ops')}`];
      return runNode([program, '--cli', `${pair.url}${path}`, ...header, ...args], { env: trust() });
    };
    test(path, { skip }, async () => {
      const listed = await ask('--method', 'tools/list');
      assert.equal(listed.status, 0, listed.stderr);
      assert.match(listed.stdout, /"files\/list"/);
      const called = await ask('--method', 'tools/call', '--tool-name', 'files/list', '--tool-arg', 'path=/etc');
      assert.equal(called.status, 0, called.stderr);
      assert.match(called.stdout, /passwd/);
    });
  }
});

describe('mcp-remote', () => {
  const skip = missing('mcp-remote');
  for (const path of ['/mcp', '/sse']) {
    test(path, { skip }, async () => {
      const client = new Client({ name: 'remote-test', version: '1.0.0' });
      const args = ['--header', `Authorization:Bearer ${pair.token('ops')}`];
      const remote = join(CLIENTS, 'node_modules/mcp-remote/dist/proxy.js');
      const env = { PATH: process.env['PATH'] ?? '', HOME: pair.directory, ...trust() };
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [remote, `${pair.url}${path}`, ...args],
          env,
          stderr: 'ignore',
        }),
      );
      const result = await client.callTool({ name: 'files/list', arguments: { path: '/etc' } });
      assert.match((result.content as { text: string }[])[0]?.text ?? '', /passwd/);
      await client.close();
    });
  }
});
