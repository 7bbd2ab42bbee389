/**
 * One large answer does not stay in memory, whichever side makes it. A pair of its own, whose heaps nothing else has widened before;
 * what is asserted is the most that was resident, as the kernel says, never a time.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sseDoor } from '../../bench/lib/door.ts';
import { peakOf, residentOf, resetPeak } from '../../bench/lib/process-figures.ts';
import { startPair } from '../support/pair.ts';

const DIRECTORIES = 56;
const FILES = 500;
/** A start is given back after two seconds without work (shared/src/host/settle.ts). */
const SETTLED_MS = 4000;
/** Megabytes by which neither process may grow: they took 16 to 19, and 37 when records went on in pieces as large as they came. */
const MOST = 30;

/** Few directories, so that one thread does everything, with names that make the answer large. Returns the start. */
function makeTree(): string {
  const start = mkdtempSync(join(tmpdir(), 'steward-answer-'));
  chmodSync(start, 0o755);
  for (let number = 0; number < DIRECTORIES; number++) {
    const directory = `${start}/${'directory-'.repeat(13)}${number}`;
    mkdirSync(directory);
    for (let file = 0; file < FILES; file++) writeFileSync(`${directory}/${'abcdefghij'.repeat(19)}${file}`, '');
  }
  return start;
}

test('a search whose answer is ten megabytes raises neither process by thirty', async (context) => {
  const start = makeTree();
  const pair = await startPair({
    grants: `  ops:\n    tools:\n      files/find: {allowed: true, paths: ["${start}"]}\n`,
    daemon: 'limits: {timeout_seconds: 120}\n',
  });
  const door = await sseDoor({ url: pair.url, ca: pair.ca, token: pair.token('ops') });
  try {
    await sleep(SETTLED_MS);
    const processes = [...pair.pids('steward-frontend'), ...pair.pids('steward-broker')];
    for (const privileged of [false, true]) {
      const before = processes.map((pid) => residentOf(pid));
      for (const pid of processes) resetPeak(pid);
      const answer = await door.ask('tools/call', { name: 'files/find', arguments: { path: start, privileged } });
      assert.ok(answer.length > 9e6, answer.slice(0, 300));
      const grown = processes.map((pid, index) => peakOf(pid) - (before[index] ?? 0));
      context.diagnostic(`frontend and broker: ${grown.map((each) => each.toFixed(0)).join(' and ')} MB more`);
      assert.ok(Math.max(...grown) < MOST, `${grown.join(' and ')} MB more`);
    }
  } finally {
    door.close();
    await pair.stop();
    rmSync(start, { recursive: true, force: true });
  }
});
