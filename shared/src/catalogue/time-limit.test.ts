/** Which time limit applies to a call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDaemon } from '../config/daemon.ts';
import { timeLimit } from './time-limit.ts';

const config = (text: string) => parseDaemon(`version: 1\n${text}`, '/daemon.yaml');

test("a tool's own limit, else the general one, never above what the tool can have", () => {
  assert.equal(timeLimit('files/read', config(''), {}), 30);
  assert.equal(timeLimit('files/read', config('tools: {files/read: {timeout_seconds: 5}}\n'), {}), 5);
  assert.equal(timeLimit('files/read', config('limits: {timeout_seconds: 500}\n'), { timeout: 7 }), 120);
});

test('where the caller says how long, the general limit does not count and the own one is the ceiling', () => {
  const narrow = config('limits: {timeout_seconds: 2}\n');
  assert.equal(timeLimit('docker/exec', narrow, {}), 30);
  assert.equal(timeLimit('docker/exec', narrow, { timeout: 120 }), 120);
  assert.equal(timeLimit('docker/exec', narrow, { timeout: 9999 }), 300);
  assert.equal(timeLimit('docker/exec', config('tools: {docker/exec: {timeout_seconds: 60}}\n'), { timeout: 120 }), 60);
  assert.equal(timeLimit('docker/exec', config('tools: {docker/exec: {timeout_seconds: 20}}\n'), {}), 20);
  for (const timeout of ['5', -1, 0, null, NaN, {}]) assert.equal(timeLimit('docker/exec', narrow, { timeout }), 30);
});
