/**
 * What an operation is: one pure module with an argument schema, a result schema and `run`. No policy, no formatting, no
 * transport: the frontend runs it unprivileged, and the broker runs the very same module as root if its table has a row.
 *
 * An operation acts only on the subject that its caller resolved for it (descriptors, never paths), so that what was checked
 * is what is acted on.
 */
import type { FedRecord } from '../audit/feed.ts';
import type { ArgsSchema, Schema } from '../schema.ts';
import type { Guard } from '../host/guard.ts';
import type { PathSpec, PathSubject } from '../host/subject.ts';
import type { ProgramRunner } from '../host/programs.ts';
import type { NetworkPolicy, UserGrants } from '../config/types.ts';
import type { ReloadReport } from '../ipc/messages.ts';
import type { Engine } from '../engine/engine.ts';
import type { TeamHelper, TeamLead } from '../workers/team.ts';

/** How a result travels. `value`: one JSON document. `records`: a stream of records, then a summary. `bytes`: file content, then a summary. */
export type ResultKind = 'value' | 'records' | 'bytes';

export interface Operation<Args = unknown, Result = unknown, Item = never> {
  /** The name of the table row; for operations behind a tool it is the tool's name, for instance `files/read`. */
  readonly name: string;
  readonly args: ArgsSchema;
  readonly kind: ResultKind;
  /** Schema of what `run` returns: the whole result of kind `value`, the closing summary of the other kinds. */
  readonly result: Schema;
  /** Schema of one streamed record (kind `records`). */
  readonly record?: Schema;
  /** How the argument `path` names the object; absent when the operation has no path. */
  readonly path?: PathSpec;
  /** The argument (a string of the tool) whose bytes travel as an upload, not inside the arguments. */
  readonly upload?: string;
  /** Where it runs: `loop` for work of a few milliseconds, `worker` for walks and scans; a function decides by the arguments. */
  readonly where: 'loop' | 'worker' | ((args: Args) => 'loop' | 'worker');
  /** Does the work. Throws StewardError for everything foreseen; a raw system error is a defect. */
  run(args: Args, context: OpContext<Item>): Promise<Result>;
  /** Helps `run`, which is at work in another thread and asked for help through its team. */
  assist?(args: Args, context: OpContext<Item>, team: TeamHelper): Promise<void>;
}

/** Takes a count that grows, and words for it. */
export type ReportProgress = (done: number, message?: string) => void;

/** What an operation stands on. Made by the frontend (unprivileged) or by the broker (root), alike for the operation. */
export interface OpContext<Item = never> {
  /** True in the broker's root context. */
  readonly privileged: boolean;
  /** Aborted at the deadline and when the caller is gone; look at it before an effect, never in the middle of one. */
  readonly signal: AbortSignal;
  /** The object that the argument `path` names; present exactly when the operation declares `path`. */
  readonly subject: PathSubject | undefined;
  /** Knows the protected objects; walks ask it for every entry. */
  readonly guard: Guard;
  readonly programs: ProgramRunner;
  /** Content of the upload, complete; present exactly when the operation declares `upload` and the caller gave it. */
  readonly upload: Upload | undefined;
  /** Root of the kernel's file systems and of configuration files; `/` but in tests on fixture trees. */
  readonly root: string;
  /** What a restriction leaves to the operation, because only it knows the mode that would result (`setid` of files/chmod). */
  readonly allowSetid: boolean;
  /** Where the caller may connect to, for the operations behind network tools; undefined in the broker, which has no network. */
  readonly network: NetworkPolicy | undefined;
  /** What only the broker can answer; undefined in the frontend. */
  readonly broker: BrokerServices | undefined;
  /**
   * Says how far the work has come: a count that only grows, and words for a person. May be called as often as convenient. Absent
   * where nobody listens.
   */
  readonly progress?: ReportProgress | undefined;
  /** Makes the team of a job whose operation has `assist`; only in worker threads. To be closed by the operation. */
  readonly team?: (() => TeamLead) | undefined;
  /** Sends one record (kind `records`). Await what it returns: that is the flow control. */
  emit(record: Item): void | Promise<void>;
  /** As `emit`, for records that are JSON lines already, each with its newline. */
  emitLines(lines: string): void | Promise<void>;
  /**
   * Sends content bytes (kind `bytes`), any length; the buffer may be reused once the promise is settled. `last`: it is the end of the
   * content and of the operation, and may wait for the summary to leave with it.
   */
  write(bytes: Uint8Array, last?: boolean): Promise<void>;
  /**
   * Says that the effect begins: from here on the call is finished even if its caller is gone or its time is over.
   * Throws `cancelled` or `timeout` when it is already too late to begin.
   */
  begin(): void;
}

/** For the few operations that are about the broker itself. */
export interface BrokerServices {
  /** The grants of the caller, in force now. */
  grants(): UserGrants;
  /** The accounts whose crontabs the caller may list: decided before the operation is called. */
  accounts(): readonly string[];
  /** The container engine, for operations whose row names its socket. Throws `docker_socket_missing` and its kin. */
  engine(): Promise<Engine>;
  /** The records of the audit log behind `after`, or from now on, as they are written. */
  watch(after: number | undefined, stop: AbortSignal): AsyncIterable<FedRecord>;
  /** Re-reads the configuration; both processes switch or neither. Throws `reload_failed`. */
  reload(dryRun: boolean): Promise<ReloadReport>;
}

/** Uploaded content. Complete before `run` is called, so that a slow or broken client never leaves half a file. */
export interface Upload {
  /** Bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The content from its beginning, in pieces of at most 64 KiB; may be called again. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** An operation whose types have been forgotten, for tables. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a table holds operations of every argument and record type
export type AnyOperation = Operation<any, any, any>;

/** Declares an operation; only there so that its literal keeps its types. */
export function operation<Args, Result, Item = never>(op: Operation<Args, Result, Item>): Operation<Args, Result, Item> {
  return op;
}
