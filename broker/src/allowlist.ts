/**
 * The table as data, as a digest and as a document. The digest is what both processes compare before they talk; the document is
 * what a reviewer reads. Pure: builds and tests import this file.
 */
import { createHash } from 'node:crypto';
import { renderDescription, type RowDescription } from '@steward/shared/catalogue/allowlist.ts';
import type { Row } from '@steward/shared/catalogue/row.ts';

/** The declarative part of the table, JSON-able: everything but the code of operations and restrictions. */
export function describeTable(table: readonly Row[]): { readonly rows: readonly RowDescription[] } {
  return { rows: table.map(describeRow) };
}

function describeRow({ op, restriction, ...declared }: Row): RowDescription {
  const { name, kind, args, result, record, path, upload } = op;
  return {
    op: { name, kind, args, result, record, path, upload },
    restriction: { name: restriction.name, says: restriction.says },
    ...declared,
  };
}

/** SHA-256 over the canonical JSON of the description, lower-case hex. */
export function tableDigest(table: readonly Row[]): string {
  return createHash('sha256')
    .update(canonical(describeTable(table)))
    .digest('hex');
}

/** JSON with sorted keys and without blanks; members that are undefined are left out (in the manner of RFC 8785). */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

/** The text of docs/ALLOWLIST.md. */
export function renderAllowlist(table: readonly Row[]): string {
  return renderDescription(describeTable(table).rows, tableDigest(table));
}
