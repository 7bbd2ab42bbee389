/** Without an engine, with one that goes away, and with a file beside the broker that is not the one it was built with. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { fakeEngine } from '@steward/shared/testing/fake-engine.ts';
import { DIST, startPair, type Pair } from '../support/pair.ts';
import { EVERYTHING, TOOLS } from '../support/engine/fixture.ts';

/** The built programs, with a client of the engine that would not be loaded: whoever tries puts a violation on record. */
async function withTampered(engineSocket: string, use: (pair: Pair) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'steward-tampered-'));
  cpSync(DIST, directory, { recursive: true });
  appendFileSync(join(directory, 'broker-docker.js'), '\n// not from here\n');
  const pair = await startPair({ grants: EVERYTHING, dist: directory, broker: `  engine_socket: ${engineSocket}\n` });
  try {
    await use(pair);
  } finally {
    await pair.stop();
    rmSync(directory, { recursive: true });
  }
}

const violations = (pair: Pair): AuditRecord[] => pair.records().filter(({ kind }) => kind === 'violation');

test('without an engine the answer comes at once, nothing is loaded, and all else works', async (context) => {
  await withTampered('/nonexistent/docker.sock', async (pair) => {
    const ops = await pair.connect('ops');
    await ops.call('auth/sudo-rules');
    const began = performance.now();
    const { text, code } = await ops.call('docker/containers');
    context.diagnostic(`answered after ${(performance.now() - began).toFixed(0)} ms`);
    assert.equal(
      text,
      'docker socket /nonexistent/docker.sock not found - is a container engine installed and running on this host?',
    );
    assert.equal(code, 'ENGINE');
    assert.deepEqual(violations(pair), []);
    assert.equal((await ops.call('memory/usage')).isError, false);
  });
});

test('for those without a grant nothing is loaded either, and nothing is asked', async () => {
  await using engine = await fakeEngine({ 'GET /containers/json': [] });
  await withTampered(engine.socket, async (pair) => {
    const guest = await pair.connect('guest');
    const args: Record<string, object> = {
      manage: { container: 'web', action: 'stop' },
      logs: { container: 'web' },
      exec: { container: 'web', command: ['id'] },
      prune: { target: 'images' },
    };
    for (const tool of TOOLS) assert.equal((await guest.call(`docker/${tool}`, { ...args[tool] })).code, 'NOT_GRANTED', tool);
    for (const uri of ['docker-container://web/status', 'docker-image://x:1/inspect', 'docker-volume://data/inspect']) {
      assert.match((await guest.rpc('resources/read', { uri })).error?.message ?? '', /^user guest is not authorized to read/);
    }
    assert.deepEqual([violations(pair), engine.calls.length], [[], 0]);
  });
});

test('an engine that goes away', async () => {
  await using engine = await fakeEngine({ 'GET /containers/json': [] });
  const pair = await startPair({ grants: EVERYTHING, broker: `  engine_socket: ${engine.socket}\n` });
  try {
    const ops = await pair.connect('ops');
    assert.equal((await ops.call('docker/containers')).text, 'No containers found matching the criteria.');
    await engine[Symbol.asyncDispose]();
    assert.match((await ops.call('docker/containers')).text, /^docker socket .* not found/);
    assert.equal((await ops.call('memory/usage')).isError, false);
  } finally {
    await pair.stop();
  }
});

// abuse 112: frontend
test('a file that was tampered with is not loaded; the rest goes on, and the record says so', async () => {
  await using engine = await fakeEngine({ 'GET /containers/json': [] });
  await withTampered(engine.socket, async (pair) => {
    const ops = await pair.connect('ops');
    const { text, code } = await ops.call('docker/containers');
    assert.match(text, /^internal error \(request /);
    assert.equal(code, 'INTERNAL');
    assert.equal((await ops.call('auth/sudo-rules')).isError, false);
    assert.match(String(violations(pair)[0]?.detail), /^refusing to load .*broker-docker\.js: its SHA-256 is [0-9a-f]{64}/);
    assert.equal(engine.calls.length, 0);
  });
});
