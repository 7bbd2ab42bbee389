/**
 * Writes docs/ALLOWLIST.md from the broker's table; with `--check` it only says whether the file is up to date (exit status 1 when
 * it is not).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderAllowlist } from '../broker/src/allowlist.ts';
import { TABLE } from '../broker/src/table.ts';
import { ROOT } from './lib/sources.ts';

const FILE = join(ROOT, 'docs/ALLOWLIST.md');

function current(): string {
  try {
    return readFileSync(FILE, 'utf8');
  } catch {
    return '';
  }
}

const text = renderAllowlist(TABLE);
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (current() !== text) {
  console.error('docs/ALLOWLIST.md does not show the table as it is: run make allowlist');
  process.exitCode = 1;
}
