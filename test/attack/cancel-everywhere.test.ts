/**
 * Every row of the table, cancelled wherever it waits: each time one of its promises is about to go on, counted by a run that is left
 * alone, the next run is cancelled right there. Whatever the moment, there is one answer, an end on record for every intent, and nothing
 * left open, running or lying about.
 *
 * STEWARD_ATTACK_POINTS sets how many moments of each call are tried (default 8, spread evenly; all where there are fewer).
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promiseHooks } from 'node:v8';
import { CONTAINER_ID } from '@steward/shared/testing/docker.ts';
import type { FakeEngine } from '@steward/shared/testing/fake-engine.ts';
import { smallEngine } from '@steward/shared/testing/small-engine.ts';
import { endVictim, startVictim } from '@steward/shared/testing/victims.ts';
import { TABLE } from '../../broker/src/table.ts';
import { BareDispatcher } from '../support/bare-dispatcher.ts';
import { eventually, isRoot } from '../support/pair.ts';
import { makeHome, type BrokerHome } from '../support/raw-broker.ts';
import { cases, type Case } from '../support/trace/cases.ts';
import { accountWithoutCrontab, aDisk, grantsFor, needsCron, type Stage } from '../support/trace/stage.ts';

const skip = isRoot ? needsCron : 'needs root: rows do what root may do';
const POINTS = Number(process.env['STEWARD_ATTACK_POINTS'] ?? 8);

let home: BrokerHome;
let stage: Stage;
let engine: FakeEngine;
let bare: BareDispatcher;

before(async () => {
  if (skip !== false) return;
  const tree = mkdtempSync(join(tmpdir(), 'steward-cancelled-'));
  mkdirSync(join(tree, 'deep'));
  for (const name of ['file', 'other', 'deep/file']) writeFileSync(join(tree, name), 'one\ntwo\n');
  engine = await smallEngine();
  const account = accountWithoutCrontab();
  stage = { tree, victim: startVictim({ uid: 65534 }), account, disk: aDisk(), container: CONTAINER_ID };
  home = makeHome(grantsFor(stage));
  bare = new BareDispatcher(home, engine);
});
after(async () => {
  if (skip !== false) return;
  await bare.close();
  await engine[Symbol.asyncDispose]();
  endVictim(stage.victim);
  rmSync(stage.tree, { recursive: true });
  home.remove();
});

/** Makes a call; cancels it when so many promises have gone on. Resolves to the key of the error, and to how many there were. */
async function called(one: Case, cancelAt = Infinity): Promise<{ key: string | undefined; points: number }> {
  let [points, id, isInside] = [0, 0, false];
  const stopWatching = promiseHooks.onBefore(() => {
    if (isInside || id === 0) return;
    points += 1;
    if (points !== cancelAt) return;
    isInside = true; // cancelling makes promises too
    bare.dispatcher.cancel(id);
    isInside = false;
  }) as () => void;
  try {
    const started = bare.start(one);
    id = started.id;
    if (cancelAt === 0) bare.dispatcher.cancel(id);
    return { key: await started.answer, points };
  } finally {
    stopWatching();
  }
}

/** Calls that can be made again and again in this very process: a signal that ends nothing, and another process than the broker's. */
function repeatable(one: Case): Case {
  if (one.op === 'processes/delete') return { ...one, args: { ...one.args, signal: 'SIGCONT' } };
  return one.op.startsWith('resource/process-') ? { ...one, args: { pid: stage.victim } } : one;
}

const descriptors = (): number => readdirSync('/proc/self/fd').length;
const children = (): string => readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1').trim();

// abuse 95: broker
test('whatever the moment: one answer, an end on record, nothing left', { skip, timeout: 3_000_000 }, async (context) => {
  const all = cases(stage).map(repeatable);
  assert.deepEqual([...new Set(all.map(({ op }) => op))].sort(), TABLE.map(({ op }) => op.name).sort(), 'every row has a call');
  const before = new Map<Case, { key: string | undefined; points: number }>();
  for (const one of all) before.set(one, await called(one));
  const [open, running] = [descriptors(), children()];
  const cancelled = new Map<string, number>();
  let made = 0;
  for (const [one, alone] of before) {
    const step = Math.max(1, alone.points / POINTS);
    for (let point = 0; point < alone.points; point += step) {
      const { key } = await called(one, Math.floor(point));
      made += 1;
      assert.ok([undefined, 'cancelled', alone.key].includes(key), `${one.op} cancelled at ${Math.floor(point)}: ${key}`);
      if (key === 'cancelled') cancelled.set(one.op, (cancelled.get(one.op) ?? 0) + 1);
    }
  }
  await bare.dispatcher.idle();
  assert.deepEqual(
    TABLE.map(({ op }) => op.name).filter((name) => !cancelled.has(name)),
    [],
    'rows that no cancellation ever stopped',
  );
  const ended = new Set(bare.records.flatMap(({ intent }) => (intent === undefined ? [] : [intent])));
  assert.deepEqual(
    bare.records.filter(({ kind, seq }) => kind === 'intent' && !ended.has(seq)),
    [],
  );
  assert.equal(bare.violation, undefined);
  // a worker that was ended and is started again has about ten
  await eventually(() => descriptors() <= open + 12 && children() === running, 30_000);
  const leftOver = readdirSync(stage.tree, { recursive: true }).filter((name) => String(name).includes('.steward-'));
  assert.deepEqual(leftOver, []);
  const stopped = [...cancelled.values()].reduce((sum, times) => sum + times, 0);
  context.diagnostic(`${all.length} calls of ${TABLE.length} rows, cancelled at ${made} moments, ${stopped} of them in time`);
});
