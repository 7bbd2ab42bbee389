/**
 * The official conformance suite: against the real daemon with its own catalogue, and against a fixture catalogue on the very same
 * transports, sessions and dispatcher. What fails is in a baseline with its reason; what is there and passes fails the test.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startFixtureServer, type FixtureServer } from '../support/fixture/server.ts';
import { startForwarder, type Forwarder } from '../support/forwarder.ts';
import { startPair, type Pair } from '../support/pair.ts';
import { CLIENTS, missing } from './support/installed.ts';
import { runNode } from './support/spawned.ts';

const SUITE = '@modelcontextprotocol/conformance';
const skip = missing(SUITE);

/** Runs what a revision requires; returns which scored scenarios passed. */
async function run(url: string, revision: string, baseline: string): Promise<readonly string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'steward-conformance-'));
  try {
    const program = join(CLIENTS, 'node_modules', SUITE, 'dist/index.js');
    const known = join(CLIENTS, 'baselines', `${baseline}.yml`);
    const args = [program, 'server', '--url', url, '--requirements', revision, '--expected-failures', known];
    const { status, stdout, stderr } = await runNode(args, { cwd: directory, seconds: 150 });
    assert.equal(status, 0, `${stdout.slice(stdout.indexOf('=== SUMMARY'))}\n${stderr}`);
    const [scored = '', rest = ''] = stdout.slice(stdout.indexOf('=== SUMMARY')).split('Not scored for');
    return [...scored.matchAll(/^✓ ([\w-]+):/gm)].map(([, name = '']) => name).filter((name) => !rest.includes(`${name} (`));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test('every known failure has its reason beside it', () => {
  const directory = join(CLIENTS, 'baselines');
  for (const file of readdirSync(directory)) {
    const entries = readFileSync(join(directory, file), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('  - '));
    assert.ok(entries.length > 0, file);
    for (const entry of entries) assert.match(entry, /^ {2}- [\w:-]+ # \S.{10,}$/, `${file}: ${entry}`);
  }
});

describe('the real daemon', { skip }, () => {
  let pair: Pair;
  let forwarder: Forwarder;
  before(async () => {
    pair = await startPair({ daemon: 'limits: {requests_per_second: 1000, burst: 1000, max_sessions_per_user: 100}\n' });
    forwarder = await startForwarder({ port: pair.port, ca: pair.ca, token: pair.token('ops') });
  });
  after(async () => {
    await forwarder.stop();
    await pair.stop();
  });

  test('2025-11-25', { skip }, async () => {
    const passed = await run(`${forwarder.url}/mcp`, '2025-11-25', 'daemon-2025-11-25');
    assert.ok(passed.length >= 6, passed.join(' '));
  });

  test('2026-07-28', { skip }, async () => {
    const passed = await run(`${forwarder.url}/mcp`, '2026-07-28', 'daemon-2026-07-28');
    assert.ok(passed.length >= 9, passed.join(' '));
  });
});

describe('the fixture catalogue', { skip }, () => {
  let server: FixtureServer;
  before(async () => {
    server = await startFixtureServer();
  });
  after(() => server.stop());

  test('2025-11-25', { skip }, async () => {
    const passed = await run(server.url, '2025-11-25', 'fixture-2025-11-25');
    assert.ok(passed.length >= 24, passed.join(' '));
  });

  test('2026-07-28', { skip }, async () => {
    const passed = await run(server.url, '2026-07-28', 'fixture-2026-07-28');
    assert.ok(passed.length >= 27, passed.join(' '));
  });
});
