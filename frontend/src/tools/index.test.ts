/** Proves what holds for the catalogue as a whole: order, unique names, sizes of the words, size of the listing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOOL_FACTS, toolFacts, type ToolName } from '@steward/shared/catalogue/facts.ts';
import { NO_GRANTS, type UserGrants } from '@steward/shared/config/types.ts';
import { OPERATIONS } from '@steward/shared/ops/index.ts';
import { RESOURCES, TEMPLATES } from '../resources/index.ts';
import { TOOLS } from './index.ts';
import { ToolListing } from './listing.ts';

const NAMES = TOOLS.map((tool) => tool.name);
const ALL_NAMES = Object.keys(TOOL_FACTS) as ToolName[];

const listing = new ToolListing(TOOLS);

function unique(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

test('every tool has facts and an operation of its name, and all stand in the order of the facts', () => {
  assert.deepEqual(
    NAMES,
    ALL_NAMES.filter((name) => NAMES.includes(name)),
  );
  for (const tool of TOOLS) {
    assert.equal(tool.op.name, tool.name);
    assert.ok(OPERATIONS.includes(tool.op), tool.name);
  }
});

test('group and verb are unique over tools, resources and templates', () => {
  const pairs = [
    ...ALL_NAMES.map((name) => `${toolFacts(name).group} ${toolFacts(name).verb}`),
    ...[...RESOURCES, ...TEMPLATES].map(({ group, verb }) => `${group} ${verb}`),
  ];
  assert.ok(unique(pairs));
  assert.ok(unique([...RESOURCES.map(({ uri }) => uri), ...TEMPLATES.map(({ uriTemplate }) => uriTemplate)]));
});

test('names stay unique where a slash is not allowed', () => {
  assert.ok(unique(ALL_NAMES.map((name) => name.replace('/', '_'))));
});

test('words are short', () => {
  for (const tool of TOOLS) {
    assert.ok(tool.description.length <= 230, tool.name);
    const schemas = { ...tool.op.args.properties, ...(tool.extra as typeof tool.op.args.properties | undefined) };
    for (const [name, schema] of Object.entries(schemas)) {
      assert.ok(!('description' in schema) || (schema.description?.length ?? 0) <= 48, `${tool.name} ${name}`);
    }
  }
});

test('a listing of the whole catalogue at this length stays small', () => {
  const everything: UserGrants = {
    tools: Object.fromEntries(ALL_NAMES.map((name) => [name, { allowed: true, line: 1 }])),
    resources: {},
  };
  const bytesFor = (grants: UserGrants): number =>
    Buffer.byteLength(
      JSON.stringify({ tools: listing.forCaller({ grants, account: true }, { names: 'slash', show: 'all' }).text }),
    );
  assert.ok(bytesFor(NO_GRANTS) < bytesFor(everything));
  const each = bytesFor(everything) / TOOLS.length;
  assert.ok(each * ALL_NAMES.length < 40_000, `${String(Math.round(each))} bytes per tool`);
});

test('a listing of what the caller may call leaves out what needs a grant, and crontabs without an account', () => {
  const namesFor = (grants: UserGrants, account: boolean): string[] => {
    const { text } = listing.forCaller({ grants, account }, { names: 'slash', show: 'authorized' });
    return (JSON.parse(text) as { name: string }[]).map(({ name }) => name);
  };
  const free = ALL_NAMES.filter((name) => !name.startsWith('docker/') && name !== 'daemon/reload-config');
  assert.deepEqual(namesFor(NO_GRANTS, true), free);
  assert.deepEqual(
    namesFor(NO_GRANTS, false),
    free.filter((name) => name !== 'cron/manage'),
  );
  const line = 1;
  const some = {
    'docker/logs': { allowed: true, line },
    'cron/manage': { allowed: true, line },
    'docker/exec': { allowed: false, line },
  };
  const more = [...free, 'docker/logs'];
  assert.deepEqual(
    namesFor({ tools: some, resources: {} }, false),
    ALL_NAMES.filter((name) => more.includes(name)),
  );
});
