/** Makes rows of their columns. Decides nothing: what a row says stands in table.ts. */
import { isToolName, type ResourceScheme } from '@steward/shared/catalogue/facts.ts';
import type { Capability, GrantRule, ProgramUse, Restriction, Row } from '@steward/shared/catalogue/row.ts';
import type { AnyOperation } from '@steward/shared/ops/operation.ts';

/** Bytes. */
export const KiB = 1024;
export const MiB = 1024 * KiB;

/** Columns that most rows leave out. */
type More = Partial<Pick<Row, 'grant' | 'effect' | 'writesWith' | 'reports'>> & { readonly uploadBytes?: number };

/** The columns of every row: who aside, on which object, seconds, bytes of the result (0: streamed without a cap), and so on. */
type Columns = readonly [
  restriction: Restriction,
  seconds: number,
  bytes: number,
  touches: Row['touches'],
  shown: readonly string[],
  more?: More,
];

/** What a row needs of the system: capabilities, paths (for people), programs, sockets. */
export function needs(
  capabilities: readonly Capability[],
  paths: readonly string[] = [],
  programs: readonly ProgramUse[] = [],
  sockets: readonly string[] = [],
): Row['touches'] {
  return { capabilities, programs, sockets, paths };
}

/** A row that changes nothing and may be stopped at any moment. Granted by the tool of the operation's name. */
export function reads(op: AnyOperation, ...columns: Columns): Row {
  return row(op, 'read', columns);
}

/** A row that may change the host: what it has begun it finishes. Granted by the tool of the operation's name. */
export function writes(op: AnyOperation, ...columns: Columns): Row {
  return row(op, 'write', columns);
}

/** A read that is asked for only after the kernel refused it to the frontend; granted by the resource list of a scheme. */
export function serves(op: AnyOperation, scheme: ResourceScheme, uri: string, ...columns: Columns): Row {
  const [restriction, seconds, bytes, touches, shown, more] = columns;
  return row(op, 'read', [restriction, seconds, bytes, touches, shown, { grant: { resource: scheme, uri }, ...more }]);
}

function row(op: AnyOperation, kind: 'read' | 'write', [restriction, seconds, bytes, touches, shown, more = {}]: Columns): Row {
  const { uploadBytes = 0, ...columns } = more;
  return {
    op,
    grant: toolOfSameName(op, more.grant),
    effect: kind,
    restriction,
    touches,
    limits: { deadlineSeconds: seconds, maxResultBytes: bytes, maxUploadBytes: uploadBytes },
    cancel: kind === 'write' ? 'finishes' : 'stops',
    shown,
    ...columns,
  };
}

function toolOfSameName(op: AnyOperation, given: GrantRule | undefined): GrantRule {
  if (given !== undefined) return given;
  if (!isToolName(op.name)) throw new Error(`${op.name} is no tool: its row must say who may use it`);
  return { tool: op.name };
}
