/** What is sent to a worker thread, and what comes back. Plain data: it is copied between threads of one process. */
import type { WireError } from '../errors.ts';
import type { ProtectedList } from '../host/guard.ts';
import type { SubjectTicket } from '../host/subject.ts';
import type { Invitation } from './team.ts';

/** One operation to be run by a worker. */
export interface WorkJob {
  /** Name of the operation. */
  readonly op: string;
  /** Checked arguments. */
  readonly args: unknown;
  /** The resolved object; its descriptors stay open until the job is over. */
  readonly subject: SubjectTicket | undefined;
  readonly guard: ProtectedList;
  readonly privileged: boolean;
  readonly allowSetid: boolean;
  /** As in the operation's context; `/` but in tests. */
  readonly root: string;
  /** For whom; nobody gets all threads of a pool. */
  readonly owner?: string;
}

/** Words of the memory shared by pool and worker during a job. */
export const CANCELLED = 0;
export const BEGUN = 1;
export const CONTROL_WORDS = 2;

/** Batches that a worker may send ahead of the receiver: the one at hand and the next. More would outlive collections of young objects. */
export const WINDOW = 2;

/** From the pool to the worker. With an invitation the worker helps another one with the job. */
export type ToWorker =
  | { readonly type: 'run'; readonly job: WorkJob; readonly control: SharedArrayBuffer; readonly invitation?: Invitation }
  | { readonly type: 'ack' };

/** From the worker to the pool. `error` is null for a defect, which `detail` describes for the log. */
export type FromWorker =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'progress'; readonly done: number; readonly message?: string }
  | { readonly type: 'invite'; readonly invitation: Invitation }
  | { readonly type: 'done'; readonly value: unknown }
  | { readonly type: 'failed'; readonly error: WireError | null; readonly detail: string };
