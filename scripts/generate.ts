/**
 * Writes what is made from the schemas and from the broker's table into shared/src/generated: validators.js with its types, and
 * table.ts, and an empty slices.ts where there is none. Does nothing when no source changed since the last time. `--force` writes in any case.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Row } from '@steward/shared/catalogue/row.ts';
import type { Schema } from '@steward/shared/schema.ts';
import type { AnyOperation } from '@steward/shared/ops/operation.ts';
import { ROOT, digestOf, filesIn, isProduct } from './lib/sources.ts';

const TARGET = join(ROOT, 'shared/src/generated');
const STAMP = join(TARGET, 'inputs.sha256');

/** Digest of everything that the generated files may depend on. */
function inputsDigest(): string {
  const sources = filesIn(['shared/src', 'broker/src'], isProduct);
  return digestOf([
    ...sources,
    'scripts/generate.ts',
    'scripts/lib/validators.ts',
    'scripts/lib/stubs.ts',
    'scripts/lib/plugins.ts',
    'package-lock.json',
  ]);
}

function lastDigest(): string {
  try {
    return readFileSync(STAMP, 'utf8');
  } catch {
    return '';
  }
}

/** Replaces a generated file, only when its text changed, so that what is built from it stays valid. */
function write(name: string, text: string): void {
  const file = join(TARGET, name);
  try {
    if (readFileSync(file, 'utf8') === text) return;
  } catch {
    // Not there yet.
  }
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** Schemas by name; a name that two operations bear is a defect of the list. */
function argumentSchemas(operations: readonly AnyOperation[]): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  for (const op of operations) {
    if (Object.hasOwn(schemas, op.name)) throw new Error(`two operations are called ${op.name}`);
    schemas[op.name] = op.args;
  }
  return schemas;
}

async function generate(): Promise<void> {
  const { FRONTEND_MESSAGES } = await import('@steward/shared/ipc/messages.ts');
  const { OPERATIONS } = await import('@steward/shared/ops/index.ts');
  const { slicesModule } = await import('./lib/slices.ts');
  const { VALIDATORS_TYPES, validatorsModule } = await import('./lib/validators.ts');
  const groups = { messages: FRONTEND_MESSAGES, args: argumentSchemas(OPERATIONS) };
  write('validators.js', await validatorsModule(groups));
  write('validators.d.ts', VALIDATORS_TYPES);

  // The digest itself is the build's to write; until there is a bundle nothing can be loaded that has it.
  if (!existsSync(join(TARGET, 'slices.ts'))) write('slices.ts', slicesModule(''));

  const { TABLE } = await import('../broker/src/table.ts');
  const { tableDigest } = await import('../broker/src/allowlist.ts');
  const { stubsModule } = await import('./lib/stubs.ts');
  const rows: readonly Row[] = TABLE;
  for (const row of rows) {
    if (!OPERATIONS.includes(row.op)) throw new Error(`${row.op.name} has a row but is not in shared/src/ops/index.ts`);
  }
  const capabilities = [...new Set(rows.flatMap((row) => row.touches.capabilities))].sort();
  write('table.ts', stubsModule({ digest: tableDigest(TABLE), operations: rows.map((row) => row.op), capabilities }));
}

const digest = inputsDigest();
if (process.argv.includes('--force') || digest !== lastDigest()) {
  mkdirSync(TARGET, { recursive: true });
  await generate();
  writeFileSync(STAMP, digest);
  console.log('generated shared/src/generated');
}
