/**
 * One line of the audit log: what both the writer (broker) and readers (stewardctl) must agree on.
 *
 * JSON Lines, UTF-8, one object a line. `prev` is the SHA-256 (lower-case hex) of the previous line without its newline, over
 * all segments; the first line of all has 64 zeros. Segments are named `<UTC start>-<number>.jsonl`, for instance
 * `20261120T141502Z-000001.jsonl`.
 */
import type { SealBody } from './seal.ts';

export type AuditKind =
  /** The broker has started, and has ended. */
  | 'start'
  | 'stop'
  /** A session was opened; a token was refused. */
  | 'session'
  | 'session-refused'
  /** An operation is about to run; durable before its effect. */
  | 'intent'
  /** How it ended; carries the sequence number of its intent. */
  | 'outcome'
  /** A call that was answered with a refusal before any effect. */
  | 'refusal'
  /** The frontend broke the protocol; the connection was closed. */
  | 'violation'
  | 'reload'
  /** An intent of an earlier run that has no outcome: the broker died in between. */
  | 'aborted'
  /** The last line of the previous segment was torn; says its size and hash. */
  | 'recovered'
  /** Signs the head of the chain, so that nobody can rewrite what came before. */
  | 'seal';

export const AUDIT_KINDS = [
  ...(['start', 'stop', 'session', 'session-refused', 'intent', 'outcome', 'refusal', 'violation', 'reload'] as const),
  ...(['aborted', 'recovered', 'seal'] as const),
] satisfies readonly AuditKind[];

/** What the broker says; the log adds the rest. Content of files is only ever size and SHA-256; tokens never appear. */
export interface AuditEntry {
  readonly kind: AuditKind;
  /** Id of the request: the same in the access line and in the error that the client saw. */
  readonly request?: string;
  readonly user?: string;
  /** Id of the token, never the token. */
  readonly token?: string;
  readonly address?: string;
  readonly client?: string;
  readonly op?: string;
  /** The resolved object. */
  readonly object?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly upload?: { readonly size: number; readonly sha256: string };
  /** What permitted or refused, for instance `paths: /srv/x (grants.yaml:12)`. */
  readonly rule?: string;
  /** `OK`, or the code of the error registry. */
  readonly code?: string;
  /** One sentence for people. */
  readonly detail?: string;
  readonly duration_ms?: number;
  /** `seq` of the intent that an outcome or an aborted record belongs to. */
  readonly intent?: number;
  /** SHA-256 of the table and of grants.yaml in force. */
  readonly table?: string;
  readonly grants?: string;
  /** What a seal says. */
  readonly seal?: SealBody;
}

/** What every record of a call says. */
export type CallEntry = Omit<AuditEntry, 'kind'>;

/** A line as it stands in the log. */
export interface AuditRecord extends AuditEntry {
  readonly seq: number;
  /** RFC 3339 UTC with milliseconds. */
  readonly time: string;
  readonly prev: string;
}

export const GENESIS = '0'.repeat(64);
