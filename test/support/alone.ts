/**
 * For tests in which nobody but an attacker is at the other end of the shipped broker's socket: a home for it, a directory that its
 * grants are for, and after each test a log that verifies. Test only.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach } from 'node:test';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { makeHome, startBroker, type BrokerHome, type RawBroker } from './raw-broker.ts';

export const USERS = ['ops', 'guest', 'u3', 'u4', 'u5'];

/** Grants of all users for what lies below a directory. */
export const grantsFor = (directory: string): string =>
  USERS.map(
    (user) =>
      `  ${user}:\n    tools:\n      files/read: {allowed: true, paths: ["${directory}"]}\n` +
      `      files/chown: {allowed: true, paths: ["${directory}"]}\n`,
  ).join('');

/** Where brokers of one test file live, and the directory that is granted to all users. */
export interface Alone {
  readonly base: string;
  readonly home: BrokerHome;
}

/** For the whole of a test file: made now, removed after its last test. */
export function alone(): Alone {
  const base = mkdtempSync(join(tmpdir(), 'steward-alone-'));
  const home = makeHome(grantsFor(base), 'limits: {auth_failures_per_minute: 10000}\n');
  home.writeUsers(USERS);
  afterEach(async () => {
    assert.equal((await verifyAudit(home.auditDir)).state, 'good');
  });
  after(() => {
    home.remove();
    rmSync(base, { recursive: true, force: true });
  });
  return { base, home };
}

/** A broker that has been greeted and knows no session yet. */
export async function greeted(home: BrokerHome): Promise<RawBroker> {
  const broker = await startBroker(home, { bundle: true });
  await broker.client.hello();
  return broker;
}
