/** Limits of time: which one applies, and what becomes of work that is over it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDaemon } from '@steward/shared/config/daemon.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { timeLimit, underDeadline } from './deadline.ts';

const never = new AbortController().signal;

test("a tool's own limit, else the general one, never above what the tool can have", () => {
  const config = (text: string) => parseDaemon(`version: 1\n${text}`, '/daemon.yaml');
  assert.equal(timeLimit('files/read', config('')), 30);
  assert.equal(timeLimit('files/read', config('tools: {files/read: {timeout_seconds: 5}}\n')), 5);
  assert.equal(timeLimit('files/read', config('limits: {timeout_seconds: 500}\n')), 120);
});

const untilStopped = (signal: AbortSignal): Promise<never> =>
  new Promise((_done, fail) => signal.addEventListener('abort', () => fail(new Error('some way to stop'))));

test('work that stops is told by the reason it was stopped for', async () => {
  await assert.rejects(underDeadline(0.05, never, untilStopped), { key: 'timeout', params: { seconds: 0.05 } });
  const caller = new AbortController();
  const running = underDeadline(10, caller.signal, untilStopped);
  caller.abort(new StewardError('shutting_down'));
  await assert.rejects(running, { key: 'shutting_down' });
  await assert.rejects(
    underDeadline(10, caller.signal, async (signal) => signal.throwIfAborted()),
    { key: 'shutting_down' },
  );
});

test('work that ends well although it was told to stop is done; its own errors pass', async () => {
  const finishing = (signal: AbortSignal): Promise<string> =>
    new Promise((done) => signal.addEventListener('abort', () => setTimeout(done, 20, 'finished')));
  assert.equal(await underDeadline(0.02, never, finishing), 'finished');
  await assert.rejects(
    underDeadline(10, never, () => Promise.reject(new StewardError('busy'))),
    { key: 'busy' },
  );
});
