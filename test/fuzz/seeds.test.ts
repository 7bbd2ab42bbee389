/** What the fuzzers begin with comes from the table: a row that is added is fuzzed, and nothing is fuzzed that is no row any more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messages, args as validators } from '@steward/shared/generated/validators.js';
import { BROKER_OPERATIONS } from '@steward/shared/generated/table.ts';
import { checkMessage } from '@steward/shared/ipc/check.ts';
import { FrameDecoder } from '@steward/shared/ipc/frames.ts';
import type { FrontendMessage } from '@steward/shared/ipc/messages.ts';
import { OPERATIONS } from '@steward/shared/ops/index.ts';
import { TABLE } from '../../broker/src/table.ts';
import { Random } from '../support/fuzz/random.ts';
import { SEEDS, seededArgs } from '../support/fuzz/seeds.ts';
import { sessionFrames } from '../support/fuzz/sessions.ts';

const DRAWS = 400;

test('every row, and nothing else, is an operation that the fuzzers call', () => {
  const known = OPERATIONS.map(({ name }) => name);
  const rows = TABLE.map(({ op }) => op.name);
  assert.deepEqual(
    rows.filter((name) => !known.includes(name)),
    [],
  );
  assert.deepEqual([...BROKER_OPERATIONS].sort(), rows.toSorted());
});

test('the session that is damaged for a row is a good one before', () => {
  for (const { op } of TABLE) {
    const said: FrontendMessage[] = [];
    new FrameDecoder().push(Buffer.concat(sessionFrames(op, 7)), (frame) => {
      if (frame.kind === 'json') said.push(checkMessage(frame.value, messages));
    });
    const call = said.find((message) => message.type === 'call') ?? assert.fail(`${op.name}: no call`);
    assert.equal(call.op, op.name);
    assert.equal(validators[op.name]?.(call.args), true, `${op.name} ${JSON.stringify(call.args)}`);
  }
});

test('of every row some seeded calls fit and some do not, and each of its arguments is varied', () => {
  for (const row of TABLE) {
    const drawn = Array.from({ length: DRAWS }, (_, input) => seededArgs(row, new Random(3, input), '/srv'));
    const fitting = drawn.filter((args) => validators[row.op.name]?.(args) === true).length;
    assert.ok(fitting > 0 && fitting < DRAWS, `${row.op.name}: ${fitting} of ${DRAWS} fit`);
    for (const name of Object.keys(row.op.args.properties)) {
      const values = new Set(drawn.map((args) => JSON.stringify(args[name])));
      assert.ok(values.size > 2, `${row.op.name}: ${name} is always ${[...values].join()}`);
    }
  }
});

test('every seed belongs to an argument of some row', () => {
  const names = new Set(TABLE.flatMap(({ op }) => Object.keys(op.args.properties)));
  assert.deepEqual(
    Object.keys(SEEDS).filter((name) => !names.has(name)),
    [],
  );
});
