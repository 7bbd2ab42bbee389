/**
 * The protected objects: what no tool may touch, whoever asks and whatever the grant. Recognised on the opened object, by its
 * path and by device and inode, so that bind mounts, hard links and renamed directories do not help.
 */
/** What a status says of an object; numbers only as far as they are exact. `Stats` and `BigIntStats` both fit. */
export interface GuardedStatus {
  readonly dev: number | bigint;
  readonly ino: number | bigint;
  readonly mode: number | bigint;
  readonly rdev: number | bigint;
}

/** What the guard is asked about: the object reached, not what the caller typed. */
export interface GuardedObject {
  /** Real path (readlink of /proc/self/fd/N). */
  readonly realPath: string;
  readonly stat: GuardedStatus | undefined;
}

/**
 * What is to be done with an object. `attributes`: a new owner or mode for it, which is also refused for every directory above a
 * protected object, because whoever owns that directory can move the object out of it.
 */
export type GuardedUse = 'read' | 'write' | 'attributes';

export interface Guard {
  /** True when the object is protected against this use. */
  isProtected(object: GuardedObject, use: GuardedUse): boolean;
  /**
   * True when objects in this directory, which `isProtected` just said is not protected itself, may be protected by where they are: then each must be asked
   * about. Else only those need be that can be seen elsewhere too (several names, another device than the directory's) and those
   * that are neither file nor link.
   */
  isNear(directory: GuardedObject): boolean;
  /** Throws `protected_object` naming `shown` when the object is protected. */
  check(object: GuardedObject, use: GuardedUse, shown: string): void;
  /** What a worker thread makes an equal guard of. */
  readonly list: ProtectedList;
}

/** Serializable content of a guard. */
export interface ProtectedList {
  /** Absolute paths that are protected with everything below: configuration, state, audit, TLS key, sockets. */
  readonly trees: readonly string[];
  /** Absolute paths that may be read but never written: program directory, unit files. */
  readonly readOnly: readonly string[];
  /** Steward's own process ids: of these, only harmless files of /proc/<pid> are shown. */
  readonly pids: readonly number[];
}
