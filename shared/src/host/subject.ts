/**
 * What a path argument resolves to. A subject is made by one of two resolvers: `walk` (root, and chmod/chown always), which
 * refuses every symbolic link, and `resolveAsKernel` (unprivileged), which hands the path to the kernel as typed. Both end with
 * O_PATH descriptors, and operations act on those alone.
 */
import type { BigIntStats } from 'node:fs';
import type { ErrorKey } from '../errors.ts';

/** What an operation wants of its path. */
export interface PathSpec {
  /** `object`: must exist. `parent`: its directory must exist. `any`: even its directories may be missing. */
  readonly need: 'object' | 'parent' | 'any';
  /** What an unprivileged call does with a symbolic link as last component: follow it, act on the link itself, or refuse. */
  readonly lastLink: 'follow' | 'object' | 'refuse';
  /** Refuse a symbolic link in any component, unprivileged calls too (chmod, chown). */
  readonly noLinks?: true;
  /** Root calls may name a symbolic link as the last component (filetype, which reports it). */
  readonly rootMayNameLink?: true;
  /** For the protected list: some objects may be read but not written. */
  readonly use: 'read' | 'write';
  /** The text when the path cannot be reached; gets `path` and `reason`. */
  readonly failure: ErrorKey;
  /** The text when a directory above the object cannot be reached, where it differs; gets that directory as `path`. */
  readonly directoryFailure?: ErrorKey;
  /** Value when the argument is absent (files/find: `/`). */
  readonly fallback?: string;
}

/** An existing object held open. */
export interface HeldObject {
  /** O_PATH descriptor; `/proc/self/fd/<fd>` is the object whatever happens to its path. */
  readonly fd: number;
  readonly stat: BigIntStats;
}

/** A resolved path. */
export interface PathSubject {
  /** For people: cleaned lexically in root calls, as typed otherwise. */
  readonly path: string;
  /** Path of the object reached (readlink of /proc/self/fd/N), or where it would be created. */
  readonly realPath: string;
  /** The object; undefined when it does not exist. */
  readonly object: HeldObject | undefined;
  /** Deepest existing directory above the object, as an O_PATH descriptor; present when `need` is `parent` or `any`. */
  readonly parent: { readonly fd: number; readonly path: string } | undefined;
  /** Components below `parent` that do not exist, the object's own name last; empty when the object exists. */
  readonly missing: readonly string[];
  /** The object's own name in `parent`; empty for `/`. */
  readonly name: string;
  /** Closes the descriptors; safe to call twice. */
  close(): void;
}

/** Serializable form of a subject, for a worker thread of the same process (descriptors are shared by threads). */
export interface SubjectTicket {
  readonly path: string;
  readonly realPath: string;
  readonly fd: number | undefined;
  readonly parentFd: number | undefined;
  readonly parentPath: string;
  readonly missing: readonly string[];
  readonly name: string;
}
