/**
 * Arguments for every row of the table, from its schema and beside it: what the generated validators accept is what the schema says
 * by an implementation of its own, and nothing that is accepted or refused changes what all objects have in common.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { args as validators } from '@steward/shared/generated/validators.js';
import { unfit } from '@steward/shared/ipc/json.ts';
import { OPERATIONS } from '@steward/shared/ops/index.ts';
import { randomArgs } from '../support/fuzz/arguments.ts';
import { fits } from '../support/fuzz/fits.ts';
import { fuzz } from '../support/fuzz/fuzz.ts';

const OBJECT = Object.getOwnPropertyNames(Object.prototype).sort().join();

// abuse 110: broker
test('validators and schemas agree on every row', async (context) => {
  const accepted = new Map<string, number>();
  const refused = new Map<string, number>();
  await fuzz(context, { inputs: 700_000, share: 0.15 }, (random) => {
    const op = random.pick(OPERATIONS);
    const given = randomArgs(op.args, random);
    // numbers that JSON cannot hold exactly are refused before any validator sees them
    if (unfit(given, { maxString: 100_000 }) !== undefined) return;
    const verdict = validators[op.name]?.(given) ?? false;
    assert.equal(verdict, fits(op.args, given), `${op.name} ${JSON.stringify(given)}`);
    const counts = verdict ? accepted : refused;
    counts.set(op.name, (counts.get(op.name) ?? 0) + 1);
  });
  for (const { name } of OPERATIONS) {
    assert.ok((accepted.get(name) ?? 0) > 0 && (refused.get(name) ?? 0) > 0, `${name} was not tried both ways`);
  }
  assert.equal(Object.getOwnPropertyNames(Object.prototype).sort().join(), OBJECT);
  assert.equal((Object.prototype as Record<string, unknown>)['polluted'], undefined);
});
