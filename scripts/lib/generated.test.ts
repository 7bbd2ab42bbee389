/** Shows that generated validators judge strictly and that stubs have the right types. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schema } from '@steward/shared/schema.ts';
import { stubName, stubsModule, typeOf } from './stubs.ts';
import { validatorsModule } from './validators.ts';

const closed = (properties: Record<string, Schema>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

type Check = (value: unknown) => boolean;

/** Runs the generated text as the module it is. */
async function load(groups: Record<string, Record<string, Schema>>): Promise<Record<string, Record<string, Check>>> {
  const text = await validatorsModule(groups);
  return (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Record<string, Record<string, Check>>;
}

test('validators look at own properties alone and are found under their names', async () => {
  const { args } = await load({ args: { 'files/read': closed({ path: { type: 'string', maxLength: 3 } }, ['path']) } });
  const check = args?.['files/read'] ?? assert.fail('no validator');
  assert.equal(check({ path: '/ä' }), true);
  assert.equal(check({ path: '/abc' }), false);
  assert.equal(check({ path: '/a', more: 1 }), false);
  assert.equal(check(Object.create({ path: '/a' })), false);
  assert.equal(check(JSON.parse('{"path":"/a","__proto__":{}}')), false);
  assert.equal(check(JSON.parse('{"path":"/a","constructor":{}}')), false);
  assert.equal(args?.['constructor'], undefined);
  assert.equal(args?.['__proto__'], undefined);
});

test('lengths count characters, also where a text has as many UTF-16 units as the limit says or more', async () => {
  const { args } = await load({ args: { x: closed({ a: { type: 'string', minLength: 2, maxLength: 3 } }) } });
  const check = args?.['x'] ?? assert.fail('no validator');
  const fits = [
    '',
    '\u{1f600}',
    'a',
    'ab',
    'a\u{1f600}',
    '\u{1f600}\u{1f600}',
    'abc',
    '\u{1f600}\u{1f600}\u{1f600}',
    'abcd',
    'abc\u{1f600}',
  ];
  assert.deepEqual(
    fits.filter((a) => check({ a })),
    fits.slice(3, 8),
  );
});

test('a pattern whose matching could take exponential time is refused', async () => {
  await assert.rejects(load({ args: { x: closed({ a: { type: 'string', pattern: '^(a+)+$' } }) } }), /linear/);
  await load({ args: { x: closed({ a: { type: 'string', pattern: '^[a-z]+(-[a-z]{2})?$' } }) } });
});

test('a keyword outside the subset is refused', async () => {
  const wrong = { type: 'object', properties: {}, required: [], additionalProperties: false, bogus: 1 } as Schema;
  await assert.rejects(load({ args: { x: wrong } }), /bogus/);
});

test('a schema becomes the TypeScript type of its values', () => {
  assert.equal(typeOf({ type: 'string', enum: ['a', 'b'] }), '"a" | "b"');
  assert.equal(
    typeOf({ type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'null' }] } }),
    'readonly (number | null)[]',
  );
  assert.equal(
    typeOf(closed({ a: { type: 'boolean' }, b: { type: 'number' } }, ['a'])),
    '{ readonly "a": boolean; readonly "b"?: number }',
  );
  assert.equal(
    typeOf({ type: 'object', properties: {}, required: [], additionalProperties: { type: 'string' } }),
    'Readonly<Record<string, string>>',
  );
});

test('every operation has a stub named like it', () => {
  assert.equal(stubName('files/read'), 'filesRead');
  assert.equal(stubName('kernel/system-control'), 'kernelSystemControl');
  assert.match(stubsModule({ digest: 'ab', operations: [], capabilities: ['CHOWN'] }), /TABLE_DIGEST: string = "ab"/);
});
