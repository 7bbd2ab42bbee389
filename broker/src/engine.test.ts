/** The separately loaded file is loaded when it is needed, and only if it has the bytes that it should. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { failsWith } from '@steward/shared/testing/context.ts';
import { fakeEngine } from '@steward/shared/testing/fake-engine.ts';
import { engineOpener } from './engine.ts';

const directory = mkdtempSync(join(tmpdir(), 'steward-slice-'));
after(() => rmSync(directory, { recursive: true }));
const signal = new AbortController().signal;
const unexpected = (detail: string): never => assert.fail(detail);

/** Stands in for the bundle: speaks to the socket with the runtime's own client. */
const CODE = `
globalThis.sliceLoads = (globalThis.sliceLoads ?? 0) + 1;
exports.openTransport = (socketPath) => ({ method, path }) => new Promise((resolve, reject) => {
  require('node:http').request({ socketPath, method, path, agent: false }, resolve).on('error', reject).end();
});
`;
const loads = (): unknown => (globalThis as { sliceLoads?: unknown }).sliceLoads;

test('the file is loaded once, on the first use, when its bytes are the right ones', async () => {
  await using fake = await fakeEngine({}, '1.44');
  const file = join(directory, 'good.js');
  writeFileSync(file, CODE);
  const slice = { file, sha256: createHash('sha256').update(CODE).digest('hex') };
  const open = engineOpener({ socket: fake.socket, slice, report: unexpected });
  assert.equal(loads(), undefined);
  assert.equal((await open(signal)).minor, 44);
  await open(signal);
  assert.equal(loads(), 1);
});

// abuse 112: broker
test('other bytes are never run; it is reported once', async () => {
  await using fake = await fakeEngine({});
  const file = join(directory, 'bad.js');
  writeFileSync(file, CODE);
  const sha256 = createHash('sha256').update(CODE).digest('hex');
  appendFileSync(file, '\nglobalThis.sliceLoads = "tampered";');
  const reports: string[] = [];
  const open = engineOpener({ socket: fake.socket, slice: { file, sha256 }, report: (detail) => void reports.push(detail) });
  for (let tries = 0; tries < 2; tries += 1) await assert.rejects(open(signal), /refusing to load/);
  assert.equal(reports.length, 1);
  assert.match(reports[0] ?? '', /bad\.js: its SHA-256 is [0-9a-f]{64} and should be [0-9a-f]{64}/);
  assert.notEqual(loads(), 'tampered');
});

test('without an engine nothing is loaded, and the answer comes at once', async () => {
  const slice = { file: join(directory, 'absent.js'), sha256: '' };
  const open = engineOpener({ socket: join(directory, 'none.sock'), slice, report: unexpected });
  const began = performance.now();
  await assert.rejects(open(signal), failsWith('docker_socket_missing'));
  assert.ok(performance.now() - began < 100);
});

test('in a checkout the source is used', async () => {
  await using fake = await fakeEngine({}, '1.45');
  assert.equal((await engineOpener({ socket: fake.socket, report: unexpected })(signal)).minor, 45);
});
