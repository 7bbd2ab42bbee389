/** Rules that every row must keep, whoever adds it, and the documents that are made from the table. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isToolName, toolFacts } from '@steward/shared/catalogue/facts.ts';
import { OPERATIONS } from '@steward/shared/ops/index.ts';
import { TABLE_DIGEST } from '@steward/shared/generated/table.ts';
import { args } from '@steward/shared/generated/validators.js';
import type { Schema } from '@steward/shared/schema.ts';
import { describeTable, renderAllowlist, tableDigest } from './allowlist.ts';
import type { Row } from '@steward/shared/catalogue/row.ts';
import { deadlineMs } from './call.ts';
import { TABLE } from './table.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';

test('names are unique, and every row is an operation that has a validator', () => {
  const names = TABLE.map((row) => row.op.name);
  assert.equal(new Set(names).size, names.length);
  for (const row of TABLE) {
    assert.ok(OPERATIONS.includes(row.op), row.op.name);
    assert.equal(typeof args[row.op.name], 'function', row.op.name);
  }
});

/** A value that fits a schema of an argument. */
function sampleOf(schema: Schema | undefined): unknown {
  if (schema === undefined || 'anyOf' in schema) return '/x';
  if (schema.type === 'string') return schema.enum?.[0] ?? '/x';
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  return schema.type === 'array' ? ['/x'] : schema.type === 'boolean';
}

test('every row refuses arguments that it does not declare, of a wrong type, and missing ones', () => {
  for (const { op } of TABLE) {
    const validate = args[op.name];
    assert.ok(validate);
    const sample: Record<string, unknown> = Object.fromEntries(
      op.args.required.map((name) => [name, sampleOf(op.args.properties[name])]),
    );
    assert.equal(validate(sample), true, `${op.name} ${JSON.stringify(validate.errors)}`);
    assert.equal(validate({ ...sample, undeclared: true }), false, op.name);
    assert.equal(validate(JSON.parse(`{"__proto__":{}}`)), false, op.name);
    assert.equal(validate({ ...sample, constructor: 1 }), false, op.name);
    for (const name of Object.keys(op.args.properties)) {
      assert.equal(validate({ ...sample, [name]: { wrong: true } }), false, `${op.name} ${name}`);
      assert.equal(validate({ ...sample, [name]: null }), false, `${op.name} ${name}`);
    }
    for (const name of op.args.required) assert.equal(validate({ ...sample, [name]: undefined }), false, `${op.name} ${name}`);
  }
});

test('a row agrees with what the catalogue says of its tool', () => {
  for (const row of TABLE) {
    if (!('tool' in row.grant)) continue;
    const facts = toolFacts(row.grant.tool);
    const name = row.op.name;
    assert.ok(isToolName(name), name);
    assert.equal(row.limits.deadlineSeconds, facts.maxTimeoutSeconds, name);
    assert.equal(row.effect === 'read', facts.hints.readOnly, name);
    assert.equal(Object.hasOwn(row.op.args.properties, 'dry_run'), facts.dryRun, name);
    if (facts.restrictions.includes('paths')) assert.equal(row.restriction.name, 'paths', name);
    if (row.restriction.name !== 'none')
      assert.ok(
        facts.restrictions.some((key) => key === row.restriction.name),
        name,
      );
  }
});

test('what a row says of itself fits together', () => {
  for (const row of TABLE) {
    const { op, shown, reports = [], writesWith, limits, cancel, effect } = row;
    for (const name of shown) assert.ok(Object.hasOwn(op.args.properties, name), `${op.name} shows ${name}`);
    const result = 'properties' in op.result ? op.result.properties : {};
    for (const name of reports) assert.ok(Object.hasOwn(result, name), `${op.name} reports ${name}`);
    if (writesWith !== undefined) assert.ok(writesWith === op.upload || Object.hasOwn(op.args.properties, writesWith), op.name);
    // Without a tool's `allowed` it is the restriction alone that keeps anybody out.
    if ('ownOrTool' in row.grant || 'resource' in row.grant) assert.notEqual(row.restriction.name, 'none', op.name);
    assert.equal(limits.maxUploadBytes > 0, op.upload !== undefined, op.name);
    assert.equal(cancel === 'finishes', effect !== 'read', op.name);
    if (op.path !== undefined) assert.match(row.restriction.name, /paths$/, op.name);
    if (op.path !== undefined && effect === 'read') assert.equal(op.path.use, 'read', op.name);
    if (op.path !== undefined && effect === 'write') assert.equal(op.path.use, 'write', op.name);
  }
});

test('the table cannot be changed', () => {
  assert.throws(() => (TABLE as Row[]).pop(), TypeError);
  assert.throws(() => ((TABLE[0] as { effect: string }).effect = 'write'), TypeError);
  assert.throws(() => (TABLE[0]?.touches.capabilities as string[]).push('SYS_ADMIN'), TypeError);
});

test('the digest covers everything that is declared, and is the one that the frontend was built with', () => {
  const digest = tableDigest(TABLE);
  assert.equal(digest, TABLE_DIGEST);
  const [first, ...rest] = TABLE as [Row, ...Row[]];
  const changed: Row[] = [
    { ...first, limits: { ...first.limits, deadlineSeconds: 1 } },
    { ...first, shown: [] },
    { ...first, effect: 'write' },
    { ...first, grant: { everyone: true } },
    { ...first, op: { ...first.op, args: { ...first.op.args, required: [] } } },
  ];
  for (const row of changed) assert.notEqual(tableDigest([row, ...rest]), digest);
  assert.equal(tableDigest(TABLE.map((row) => ({ ...row }))), digest);
  const printed = JSON.parse(JSON.stringify(describeTable(TABLE))) as { rows: unknown[] };
  assert.equal(printed.rows.length, TABLE.length);
});

test('the document names every row, capability and program', () => {
  const text = renderAllowlist(TABLE);
  for (const row of TABLE) {
    assert.ok(text.includes(`## \`${row.op.name}\``));
    for (const capability of row.touches.capabilities) assert.ok(text.includes(`\`${capability}\``));
    for (const program of row.touches.programs) assert.ok(text.includes(program.argv.join(' ')));
  }
  assert.ok(text.includes(tableDigest(TABLE)));
});

test('the general time limit is about tools and resources: the live feed lasts as long as was asked', () => {
  const config = { daemon: { limits: { timeout_seconds: 30 }, tools: {} } } as unknown as ConfigSnapshot;
  const limit = (name: string): number => {
    const row = TABLE.find(({ op }) => op.name === name) ?? assert.fail(name);
    return deadlineMs(row, config, { type: 'call', id: 1, op: name, args: {}, request: 'r', deadline_ms: 310_000 });
  };
  assert.equal(limit('audit/watch'), 310_000);
  assert.equal(limit('files/list'), 30_000);
});
