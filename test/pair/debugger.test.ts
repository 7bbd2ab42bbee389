/** No signal opens a debugger in a process of the pair: on loopback it would let every local user do what the process may. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { constants } from 'node:os';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPair } from '../support/pair.ts';

/** Names of a process's threads. */
const threadsOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim());

const parentOf = (pid: number): number => Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);

/** Whether a process has a handler for a signal (SigCgt of proc_pid_status(5)). */
function catches(pid: number, signal: number): boolean {
  const mask = /^SigCgt:\s+([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '';
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

test('SIGUSR1 opens no debugger', async () => {
  const pair = await startPair();
  try {
    for (const name of ['steward-frontend', 'steward-broker'] as const) {
      const [pid = 0] = pair.pids(name);
      assert.equal(catches(pid, constants.signals.SIGTERM), true);
      assert.equal(catches(pid, constants.signals.SIGUSR1), false, name);
      assert.ok(!threadsOf(pid).includes('SignalInspector'), name);
    }
    const launcher = parentOf(pair.pids('steward-frontend')[0] ?? 0);
    process.kill(launcher, 'SIGUSR1');
    await sleep(500);
    assert.ok(!threadsOf(launcher).includes('InspectorIo'));
    assert.equal((await (await pair.connect('ops')).call('cpu/load-average')).isError, false);
  } finally {
    await pair.stop();
  }
});
