/** Proves the rows about system and logs: what they may touch, and that the table of memory needs the whole grant. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grant } from '@steward/shared/config/types.ts';
import { failsWith, testContext } from '@steward/shared/testing/context.ts';
import type { ImmediateRestriction, Restricted } from '@steward/shared/catalogue/row.ts';
import { TABLE } from '../table.ts';

const memory = TABLE.find(({ op }) => op.name === 'resource/memory-devices');

function decide(grant: Grant): Restricted {
  assert.ok(memory !== undefined);
  const { guard } = testContext();
  return (memory.restriction as ImmediateRestriction).decide({
    args: {},
    grant,
    user: 'alice',
    op: memory.op,
    tool: 'devices://dmi',
    guard,
  });
}

test('the list of the resource grant must hold everything', () => {
  assert.deepEqual(memory?.grant, { resource: 'devices://dmi', uri: 'devices://dmi' });
  assert.deepEqual(decide({ allowed: true, units: ['*'], line: 0 }), {
    object: 'devices://dmi',
    rule: 'resources: devices://dmi',
  });
  const refused = failsWith('resource_not_granted', { user: 'alice', uri: 'devices://dmi' });
  for (const units of [[], ['dmi'], ['**']]) assert.throws(() => decide({ allowed: true, units, line: 0 }), refused);
  assert.throws(() => decide({ allowed: true, line: 0 }), refused);
});

test('rows that only read, start no program and take no object but by name', () => {
  const names = ['system/packages', 'users/list', 'resource/memory-devices', 'logs/dmesg', 'logs/logins'];
  const rows = TABLE.filter(({ op }) => names.includes(op.name));
  assert.deepEqual(
    rows.map(({ op, touches }) => [op.name, touches.capabilities.join(' ')]),
    [
      ['system/packages', ''],
      ['users/list', ''],
      ['resource/memory-devices', ''],
      ['logs/dmesg', 'SYSLOG'],
      ['logs/logins', 'DAC_READ_SEARCH'],
    ],
  );
  for (const { op, effect, touches, shown } of rows) {
    assert.deepEqual([effect, touches.programs, touches.sockets, op.path], ['read', [], [], undefined]);
    assert.deepEqual(shown, Object.keys(op.args.properties));
  }
});
