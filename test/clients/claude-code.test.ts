/** Claude Code from end to end, with a stub in the place of the model: over Streamable HTTP and over SSE. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startPair, type Pair } from '../support/pair.ts';
import { CLAUDE_CODE, missingClaudeCode } from './support/installed.ts';
import { runProgram } from './support/spawned.ts';
import { startStubModel } from './support/stub-model.ts';

const skip = missingClaudeCode();

let pair: Pair;
before(async () => {
  pair = await startPair();
});
after(() => pair.stop());

for (const [type, path] of Object.entries({ http: '/mcp', sse: '/sse' })) {
  test(`${type}: the model gets the result of files/list`, { skip }, async () => {
    const model = await startStubModel({ tool: 'mcp__steward__files_list', input: { path: '/etc' } });
    const home = join(pair.directory, `claude-${type}`);
    mkdirSync(home, { mode: 0o700 });
    const server = { type, url: `${pair.url}${path}`, headers: { Authorization: `Bearer ${pair.token('ops')}` } };
    writeFileSync(join(home, 'mcp.json'), JSON.stringify({ mcpServers: { steward: server } }));
    const args = ['-p', 'What is in /etc?', '--mcp-config', join(home, 'mcp.json'), '--strict-mcp-config'];
    const env = {
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, 'config'),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'stub',
      NODE_EXTRA_CA_CERTS: join(pair.configDir, 'tls/steward.crt'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    };
    try {
      const options = { env, cwd: home, seconds: 90 };
      const ended = await runProgram(CLAUDE_CODE, [...args, '--allowedTools', 'mcp__steward__files_list'], options);
      assert.equal(ended.status, 0, `${ended.stdout}\n${ended.stderr}`);
      assert.match(ended.stdout, /the stub has seen the result/);
      assert.match(model.results.join('\n'), /passwd/);
    } finally {
      model.stop();
    }
  });
}
