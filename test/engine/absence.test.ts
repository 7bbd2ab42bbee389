/** Without an engine, with one that goes away, and with a file beside the broker that is not the one it was built with. */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeEngine } from '@steward/shared/testing/fake-engine.ts';
import { DIST, startPair } from '../support/pair.ts';
import { EVERYTHING } from '../support/engine/fixture.ts';

/** Kilobytes that a process holds. */
function residentKb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

test('without an engine the answer comes at once, nothing is loaded, and all else works', async () => {
  const pair = await startPair({ grants: EVERYTHING, broker: '  engine_socket: /nonexistent/docker.sock\n' });
  try {
    const ops = await pair.connect('ops');
    await ops.call('auth/sudo-rules');
    const [broker = 0] = pair.pids('steward-broker');
    const before = residentKb(broker);
    const began = performance.now();
    const { text, code } = await ops.call('docker/containers');
    assert.ok(performance.now() - began < 100);
    assert.equal(
      text,
      'docker socket /nonexistent/docker.sock not found - is a container engine installed and running on this host?',
    );
    assert.equal(code, 'ENGINE');
    assert.ok(residentKb(broker) - before < 2048, 'the broker has grown');
    assert.doesNotMatch(readFileSync(`/proc/${broker}/maps`, 'utf8'), /broker-docker/);
    assert.equal((await ops.call('memory/usage')).isError, false);
  } finally {
    await pair.stop();
  }
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

test('a file that was tampered with is not loaded; the rest goes on, and the record says so', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-tampered-'));
  await using engine = await fakeEngine({ 'GET /containers/json': [] });
  cpSync(DIST, directory, { recursive: true });
  appendFileSync(join(directory, 'broker-docker.js'), '\n// not from here\n');
  const pair = await startPair({ grants: EVERYTHING, dist: directory, broker: `  engine_socket: ${engine.socket}\n` });
  try {
    const ops = await pair.connect('ops');
    const { text, code } = await ops.call('docker/containers');
    assert.match(text, /^internal error \(request /);
    assert.equal(code, 'INTERNAL');
    assert.equal((await ops.call('auth/sudo-rules')).isError, false);
    const violation = pair.records().find(({ kind }) => kind === 'violation');
    assert.match(String(violation?.detail), /^refusing to load .*broker-docker\.js: its SHA-256 is [0-9a-f]{64}/);
    assert.equal(engine.calls.length, 0);
  } finally {
    await pair.stop();
    rmSync(directory, { recursive: true });
  }
});
