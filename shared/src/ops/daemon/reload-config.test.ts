/** Proves that the reload is the broker's, and that a dry run does not count as begun. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failsWith, testBroker, testContext } from '../../testing/context.ts';
import { daemonReloadConfig } from './reload-config.ts';

const REPORT = { files: ['/etc/steward/daemon.yaml'], changes: [], closed_sessions: 0, needs_restart: [] };

test('asks the broker, dry or not', async () => {
  const asked: boolean[] = [];
  const reload = (dryRun: boolean) => {
    asked.push(dryRun);
    return Promise.resolve(REPORT);
  };
  const context = testContext({ broker: testBroker({ reload }) });
  assert.deepEqual(await daemonReloadConfig.run({ dry_run: true }, context), REPORT);
  assert.equal(context.begun.count, 0);
  assert.deepEqual(await daemonReloadConfig.run({}, context), REPORT);
  assert.equal(context.begun.count, 1);
  assert.deepEqual(asked, [true, false]);
});

test('only the broker can do it', async () => {
  await assert.rejects(daemonReloadConfig.run({}, testContext()), failsWith('broker_unavailable'));
});
