/** One writer at a time, whoever else is started by mistake, and no mark that outlives its process. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { markWriter, unmarkWriter, writerOf } from './writer-mark.ts';

/** Another process that puts its mark into the directory and stays. */
async function otherWriter(directory: string) {
  const module = JSON.stringify(import.meta.resolve('./writer-mark.ts'));
  const program = `const { markWriter } = await import(${module}); await markWriter(process.argv[1], 'x'); console.log(); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('a second writer is refused while the first one lives, and not when it was killed', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-mark-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const other = await otherWriter(directory);
  context.after(() => other.kill('SIGKILL'));
  assert.equal(writerOf(directory), other.pid);
  await assert.rejects(markWriter(directory, '/log'), {
    key: 'audit_unavailable',
    params: { reason: `/log is being written by process ${other.pid}` },
  });
  other.kill('SIGKILL');
  await once(other, 'exit');
  assert.equal(writerOf(directory), undefined);
  await markWriter(directory, '/log');
  assert.equal(readdirSync(join(directory, 'lock')).length, 1);
  await markWriter(directory, '/log');
  unmarkWriter(directory);
  assert.deepEqual(readdirSync(join(directory, 'lock')), []);
});

test('who comes while the first one leaves gets its turn', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-mark-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const other = await otherWriter(directory);
  setTimeout(() => other.kill('SIGKILL'), 200);
  await markWriter(directory, '/log');
  assert.equal(writerOf(directory), undefined);
});
