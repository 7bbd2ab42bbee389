/** Real programs: output, status, limits, and what they leave behind. */
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findProgram, programs } from './programs.ts';

const directory = mkdtempSync(join(tmpdir(), 'steward-programs-'));
after(() => rmSync(directory, { recursive: true }));

test('runs to the end: output, errors, status, input, fixed environment', async () => {
  const echoed = await programs.run({ program: 'cat', args: [], input: Buffer.from('héllo') });
  assert.deepEqual([echoed.status, echoed.stdout.toString(), echoed.truncated], [0, 'héllo', false]);
  const failed = await programs.run({ program: 'cat', args: ['--', '/no/such/file'] });
  assert.equal(failed.status, 1);
  assert.match(failed.stderr.toString(), /No such file/);
  const environment = (await programs.run({ program: 'env', args: [] })).stdout.toString();
  assert.match(environment, /^PATH=\/usr\/sbin:\/usr\/bin:\/sbin:\/bin$/m);
  assert.doesNotMatch(environment, /^HOME=/m);
});

test('output beyond the cap ends the program', async () => {
  const result = await programs.run({ program: 'yes', args: [], maxOutput: 1000 });
  assert.equal(result.stdout.length, 1000);
  assert.equal(result.truncated, true);
  assert.equal(result.status, null);
});

test('time limit and cancellation end it at once', async () => {
  const began = performance.now();
  await assert.rejects(programs.run({ program: 'sleep', args: ['30'], timeoutMs: 50 }), { key: 'timeout' });
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error('gone')), 50);
  await assert.rejects(programs.run({ program: 'sleep', args: ['30'], signal: abort.signal }), /gone/);
  assert.ok(performance.now() - began < 5000);
});

test('what a program leaves behind is not waited for', async () => {
  const began = performance.now();
  const result = await programs.run({ program: 'env', args: ['sh', '-c', 'sleep 30 & echo done'] });
  assert.equal(result.stdout.toString(), 'done\n');
  assert.ok(performance.now() - began < 5000);
});

test('only programs of root that nobody else can change', { skip: process.getuid?.() !== 0 }, () => {
  const program = join(directory, 'tool');
  copyFileSync(findProgram('cat'), program);
  chmodSync(program, 0o755);
  assert.equal(findProgram('tool', [directory]), program);
  chmodSync(program, 0o775);
  assert.throws(() => findProgram('tool', [directory]), { key: 'program_missing' });
  writeFileSync(join(directory, 'script'), '#!/bin/sh\n', { mode: 0o755 });
  assert.throws(() => findProgram('script', [directory]), { key: 'program_missing' });
  symlinkSync('/nowhere', join(directory, 'broken'));
  assert.throws(() => findProgram('broken', [directory]), { key: 'program_missing' });
});
