/** The table of clients in the README: each line as it is printed there, given to the client that it is for. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ROOT, startPair, type Pair } from '../support/pair.ts';
import { CLAUDE_CODE, CLIENTS, missing, missingClaudeCode } from './support/installed.ts';
import { runNode, runProgram, type Ended } from './support/spawned.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The first piece of code in the row of a client. */
function lineFor(client: string): string {
  const row = README.split('\n').find((line) => line.startsWith(`| ${client} |`));
  return /`([^`]+)`/.exec(row ?? '')?.[1] ?? assert.fail(`no row for ${client}`);
}

let pair: Pair;
let home: string;
before(async () => {
  pair = await startPair();
  home = join(pair.directory, 'home');
  mkdirSync(join(home, 'bin'), { recursive: true, mode: 0o700 });
  symlinkSync(CLAUDE_CODE, join(home, 'bin/claude'));
});
after(() => pair.stop());

/** What the README tells to export, and a home of its own; programs that are installed here come before others of their name. */
const environment = (): Record<string, string> => ({
  U: pair.url,
  T: pair.token('ops'),
  NODE_EXTRA_CA_CERTS: join(pair.configDir, 'tls/steward.crt'),
  HOME: home,
  PATH: [join(home, 'bin'), join(CLIENTS, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
});

const shell = (commands: string): Promise<Ended> =>
  runProgram('/bin/sh', ['-ec', commands], { env: environment(), cwd: CLIENTS, seconds: 120 });

/** Evaluates an expression of the README in a module that imports `names` from a package, and prints what `then` makes of it. */
const evaluate = (names: string, from: string, expression: string, then: string): Promise<Ended> => {
  const code = `import { ${names} } from '${from}'; const { U, T } = process.env; const it = await (${expression}); ${then}`;
  return runNode(['--input-type=module', '-e', code], { env: environment(), cwd: CLIENTS, seconds: 120 });
};

function good({ status, stdout, stderr }: Ended): string {
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  return stdout;
}

test('Claude Code', { skip: missingClaudeCode() }, async () => {
  assert.match(good(await shell(`${lineFor('Claude Code')}\nclaude mcp list`)), /steward: \S+\/mcp \(HTTP\) - \S+ Connected/);
});

test('MCP Inspector', { skip: missing('@modelcontextprotocol/inspector') }, async () => {
  assert.match(good(await shell(lineFor('MCP Inspector'))), /"files\/list"/);
});

test('mcp-remote', { skip: missing('mcp-remote') }, async () => {
  const client = new Client({ name: 'readme-test', version: '1.0.0' });
  const args = ['-ec', `exec ${lineFor('mcp-remote')}`];
  const options = { command: '/bin/sh', args, env: environment(), cwd: CLIENTS, stderr: 'ignore' } as const;
  await client.connect(new StdioClientTransport(options), { timeout: 120_000 });
  assert.ok((await client.listTools()).tools.length > 10);
  await client.close();
});

test('SDK 2.x', { skip: missing('@modelcontextprotocol/client') }, async () => {
  const connect =
    "const client = new Client({ name: 'readme', version: '1' }, { versionNegotiation: { mode: 'auto' } });" +
    'await client.connect(it); console.log((await client.listTools()).tools.map(({ name }) => name).join()); process.exit(0);';
  assert.match(README, /`versionNegotiation: \{ mode: 'auto' \}`/);
  const names = 'Client, StreamableHTTPClientTransport';
  assert.match(good(await evaluate(names, '@modelcontextprotocol/client', lineFor('SDK 2.x'), connect)), /files\/list/);
});

test('AI SDK', { skip: missing('@ai-sdk/mcp') }, async () => {
  const list = 'console.log(Object.keys(await it.tools()).join()); process.exit(0);';
  assert.match(good(await evaluate('createMCPClient', '@ai-sdk/mcp', lineFor('AI SDK'), list)), /files_list/);
});
