/** stewardctl allowlist, from the bundles: the document in the repository, and the digest that both processes compare. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TABLE_DIGEST } from '@steward/shared/generated/table.ts';
import { DIST, ROOT } from '../support/paths.ts';

const allowlist = (...options: readonly string[]): string =>
  execFileSync(process.execPath, [join(DIST, 'stewardctl.js'), 'allowlist', ...options], { encoding: 'utf8' });

test('the installed table is printed as the document, as data, and as its digest', () => {
  assert.equal(allowlist(), readFileSync(join(ROOT, 'docs/ALLOWLIST.md'), 'utf8'));
  const data = JSON.parse(allowlist('--json')) as { digest: string; rows: { op: { name: string } }[] };
  assert.equal(data.digest, TABLE_DIGEST);
  assert.ok(data.rows.some(({ op }) => op.name === 'files/chown'));
  assert.equal(allowlist('--digest'), `${TABLE_DIGEST}\n`);
});
