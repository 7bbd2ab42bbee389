/**
 * kill -9 of either process at random moments while files are made as root. Afterwards every file that is there was announced by an
 * intent, every intent has an outcome or is marked as aborted, what is said to have been done is there whole, and the chain holds.
 *
 * STEWARD_ATTACK_KILLS sets the number of kills (default 16).
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { Random } from '../support/fuzz/random.ts';
import { eventually, startPair, type Pair } from '../support/pair.ts';
import type { SseClient } from '../support/sse-client.ts';

const KILLS = Number(process.env['STEWARD_ATTACK_KILLS'] ?? 16);
/** A frontend that dies five times within five seconds of its start is given up: it gets longer than that. */
const FRONTEND_EVERY_MS = 6000;

let base: string;
let files: string;
let pair: Pair;
const random = new Random(11);

before(async () => {
  base = mkdtempSync(join(tmpdir(), 'steward-kills-'));
  chmodSync(base, 0o755);
  files = join(base, 'files');
  mkdirSync(files);
  pair = await startPair({
    users: ['ops'],
    grants: `  ops:\n    tools:\n      files/create: {allowed: true, paths: [${files}]}\n`,
    daemon: 'limits: {requests_per_second: 100000, burst: 100000, max_sessions_per_user: 100}\n',
  });
});
after(async () => {
  await pair.stop();
  rmSync(base, { recursive: true, force: true });
});

let made = 0;
/** When a call last went well. */
let lastGood = 0;
let over = false;

const contentOf = (path: string): string => `content of ${path}\n`.repeat(50);

/** Makes one new file after the other, whatever happens to the processes. */
async function lane(): Promise<void> {
  let client: SseClient | undefined;
  while (!over) {
    try {
      client ??= await pair.connect('ops');
      const path = join(files, String((made += 1)));
      const lost = client.ended.then(() => Promise.reject(new Error('the stream ended')));
      const { isError } = await Promise.race([
        client.call('files/create', { path, content: contentOf(path), privileged: true }),
        lost,
      ]);
      if (isError) await sleep(20);
      else lastGood = performance.now();
    } catch {
      client?.close();
      client = undefined;
      await sleep(20);
    }
  }
  client?.close();
}

/** Kills one of the two and waits until files are made again. Resolves with the milliseconds that it took. */
async function killOne(title: 'steward-broker' | 'steward-frontend'): Promise<number> {
  await sleep(random.below(200));
  const pid = await eventually(() => pair.pids(title)[0], 30_000);
  process.kill(pid, 'SIGKILL');
  const killed = performance.now();
  await eventually(() => lastGood > killed + 5, 60_000);
  return lastGood - killed;
}

/** Least, middle and most, for the report. */
function spread(milliseconds: readonly number[]): string {
  const sorted = milliseconds.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0);
  return `${at(0)} to ${at(1)} ms (p50 ${at(0.5)}, p99 ${at(0.99)})`;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What is wrong with the files that are there, judged by the log; nothing should be. */
function faults(records: readonly AuditRecord[]): string[] {
  const intents = records.filter(({ kind }) => kind === 'intent');
  const endings = new Map(records.flatMap((record) => (record.intent === undefined ? [] : [[record.intent, record] as const])));
  const announced = new Map(intents.map((intent) => [intent.object, intent]));
  const found: string[] = [];
  for (const name of readdirSync(files)) {
    if (!announced.has(join(files, name)) && !name.startsWith('.')) found.push(`${name} was never announced`);
  }
  for (const { seq, object = '', upload } of intents) {
    const ending = endings.get(seq);
    if (ending === undefined) found.push(`${object}: intent ${seq} has no end`);
    else if (ending.kind === 'outcome' && ending.code === 'OK') {
      if (sha256(readFileSync(object)) !== upload?.sha256) found.push(`${object} is not what was recorded as done`);
    }
  }
  return found;
}

// abuse 12, 104: frontend
test('whenever a process is killed, the log and the files agree and work goes on', { timeout: 3_600_000 }, async (context) => {
  const lanes = [lane(), lane(), lane()];
  const times = { 'steward-broker': [] as number[], 'steward-frontend': [] as number[] };
  await eventually(() => lastGood > 0, 30_000);
  let frontendKilled = performance.now();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const title = performance.now() - frontendKilled > FRONTEND_EVERY_MS ? 'steward-frontend' : 'steward-broker';
    times[title].push(await killOne(title));
    if (title === 'steward-frontend') frontendKilled = performance.now();
  }
  over = true;
  await Promise.all(lanes);
  // whoever asks now has the next broker; what the one before left open is named in the background
  await eventually(() => faults(pair.records()).length === 0, 30_000).catch(() => undefined);
  assert.deepEqual(faults(pair.records()), []);
  const verdict = await verifyAudit(pair.auditDir);
  assert.equal(verdict.state, 'good', verdict.message);
  const records = pair.records();
  const aborted = records.filter(({ kind }) => kind === 'aborted').length;
  for (const [title, taken] of Object.entries(times)) {
    context.diagnostic(`${taken.length} times ${title}, files are made again after ${spread(taken)}`);
  }
  context.diagnostic(`${made} calls, ${records.length} records, ${aborted} aborted`);
});
