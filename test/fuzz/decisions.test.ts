/**
 * The decision about random calls of random users on a tree full of traps, by the broker's own table and code, and by a model of the
 * grants that shares nothing with it. They must agree on every call; and whatever is refused leaves no descriptor open.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { judge } from '../../broker/src/judge.ts';
import { TABLE } from '../../broker/src/table.ts';
import type { Row } from '@steward/shared/catalogue/row.ts';
import type { ConfigSnapshot, Grant } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { args as validators } from '@steward/shared/generated/validators.js';
import { makeGuard } from '@steward/shared/host/guarding.ts';
import { fuzz } from '../support/fuzz/fuzz.ts';
import { verdictOf, type Verdict } from '../support/fuzz/model.ts';
import type { Random } from '../support/fuzz/random.ts';
import { plainArgs } from '../support/fuzz/sessions.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-decisions-')));
after(() => rmSync(base, { recursive: true }));
for (const directory of ['www/sub/deep', 'wwwevil/sub', 'secret/sub', 'other'])
  mkdirSync(join(base, directory), { recursive: true });
for (const file of ['www/file', 'www/sub/file', 'wwwevil/file', 'secret/file', 'secret/sub/file', 'other/file'])
  writeFileSync(join(base, file), 'text');
const LINKS = { out: '../secret', in: 'file', up: '..', loop: 'loop', dangling: 'nothing', root: '/', file2: '/etc/shadow' };
for (const [name, target] of Object.entries(LINKS)) {
  for (const directory of ['www', 'www/sub', 'other']) symlinkSync(target, join(base, directory, name));
}

const PROTECTED = [join(base, 'secret')];
const guard = makeGuard({ trees: PROTECTED, readOnly: [], pids: [] });
const WORDS = [...Object.keys(LINKS), 'www', 'wwwevil', 'secret', 'other', 'sub', 'deep', 'file', 'none', '..', '..', '.', ''];
const ODD = ['relative', '', `${base}/www/\u0000`, `${base}/\ud800`, `/${'y'.repeat(256)}`, `${base}/${'www/../'.repeat(700)}`];
const PREFIXES = [
  '/',
  base,
  base,
  ...['www', 'www/sub', 'www/none', 'wwwevil', 'secret', 'other'].map((name) => join(base, name)),
];

const PATH_ROWS = TABLE.filter((row) => row.restriction.name === 'paths' && 'tool' in row.grant);

function randomPath(random: Random): string {
  if (random.once(20)) return random.pick(ODD);
  const names = Array.from({ length: random.below(6) }, () => random.pick(WORDS));
  return `${random.once(30) ? '' : base}/${names.join(random.once(10) ? '//' : '/')}${random.once(8) ? '/' : ''}`;
}

function randomGrant(random: Random): Grant | undefined {
  if (random.once(10)) return undefined;
  const paths = Array.from({ length: random.below(4) }, () => random.pick(PREFIXES));
  return { allowed: !random.once(10), line: 3, ...(random.once(20) ? {} : { paths }) };
}

function configOf(row: Row, grant: Grant | undefined): ConfigSnapshot {
  const tools = grant === undefined ? {} : { [row.op.name]: grant };
  const grants = { ops: { tools, resources: {} } };
  return { users: [], grants, daemon: { catalogue: { read_only: false } } } as unknown as ConfigSnapshot;
}

/** What the code decides, in the words of the model. */
async function decided(row: Row, path: string, grant: Grant | undefined): Promise<string> {
  const args = Object.hasOwn(row.op.args.properties, 'path') ? { ...plainArgs(row.op), path } : plainArgs(row.op);
  const unused = (): never => assert.fail('nothing else is asked');
  const asked = { row, args, user: 'ops', config: configOf(row, grant), uploads: row.op.upload !== undefined };
  const judges = { validators, guard, programs: () => ({ run: unused }), engine: unused };
  try {
    const { restricted } = await judge({ ...asked, signal: new AbortController().signal }, judges);
    const { subject, object } = restricted;
    assert.equal(object, subject?.realPath);
    subject?.close();
    return 'permitted';
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    const { failure, directoryFailure } = row.op.path ?? {};
    return [failure, directoryFailure].includes(error.key) ? 'system' : error.key;
  }
}

function expected(row: Row, path: string, grant: Grant | undefined): Verdict | 'not_granted' | 'bad_args' {
  const spec = row.op.path;
  assert.ok(spec);
  // a lone surrogate never gets as far as the rules for paths
  if (!path.isWellFormed()) return 'bad_args';
  if (grant?.allowed !== true) return 'not_granted';
  const { need, rootMayNameLink: namesLinks = false } = spec;
  return verdictOf(path, { prefixes: grant.paths, protectedTrees: PROTECTED, namesLinks, need });
}

test('code and model agree about every path, grant and row', async (context) => {
  const met = new Map<string, number>();
  await fuzz(context, { inputs: 50_000, share: 0.1 }, async (random) => {
    const row = random.pick(PATH_ROWS);
    const [path, grant] = [randomPath(random), randomGrant(random)];
    const verdict = await decided(row, path, grant);
    assert.equal(verdict, expected(row, path, grant), `${row.op.name} ${JSON.stringify(path)} ${JSON.stringify(grant)}`);
    met.set(verdict, (met.get(verdict) ?? 0) + 1);
  });
  context.diagnostic([...met].map(([verdict, times]) => `${times} ${verdict}`).join(', '));
  assert.ok(met.size >= 9 && [...met.values()].every((times) => times > 20), 'some decision was hardly ever met');
});

// abuse 47: broker
test('without a grant nobody gets past any row that needs one', async () => {
  for (const row of TABLE.filter((one) => 'tool' in one.grant || 'resource' in one.grant)) {
    const refusal = 'refusal' in row.grant ? row.grant.refusal : undefined;
    for (const grant of [undefined, { allowed: false, line: 1, paths: ['/'] }]) {
      const verdict = await decided(row, base, grant);
      const known = ['not_granted', 'resource_not_granted', refusal];
      assert.ok(known.includes(verdict), `${row.op.name}: ${verdict}`);
    }
  }
});
