/** What becomes of work that is over its time limit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StewardError } from '@steward/shared/errors.ts';
import { underDeadline } from './deadline.ts';

const never = new AbortController().signal;

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
