/**
 * The guard over the protected objects. It judges the object that was reached: by its path, by device and inode (bind mounts, hard
 * links, renamed directories), and for procfs and memory devices by what they are. It trusts only its list.
 */
import { StewardError } from '../errors.ts';
import { statHeld } from './descriptors.ts';
import type { Guard, GuardedObject, GuardedUse, ProtectedList } from './guard.ts';
import { MountView } from './mount-view.ts';
import { isType, S_IFCHR } from './modes.ts';
import { ProcRules } from './proc-rules.ts';
import { ProtectedTrees } from './protected-trees.ts';
import type { PathSubject } from './subject.ts';

/** Memory devices: /dev/mem 1:1, /dev/kmem 1:2, /dev/port 1:4 (Linux device list). */
const MEMORY_DEVICES: ReadonlySet<bigint> = new Set([0x101n, 0x102n, 0x104n]);

/** Milliseconds for which a look at the mounts and at the protected objects holds. */
const FRESH_MS = 250;

/** Makes a guard of its list; cheap enough to be made for every job of a worker. */
export function makeGuard(list: ProtectedList): Guard {
  const mounts = new MountView();
  const secret = new ProtectedTrees(list.trees, mounts);
  const readOnly = new ProtectedTrees(list.readOnly, mounts);
  const proc = new ProcRules([...list.pids, process.pid], mounts);

  let looked = -Infinity;

  /** Walks ask for every directory: what follows from mounts and protected paths is kept for a while. */
  function look(): void {
    const now = performance.now();
    if (now - looked <= FRESH_MS) return;
    looked = now;
    mounts.look();
    secret.look(now);
    proc.look();
  }

  function isProtected({ realPath, stat }: GuardedObject, use: GuardedUse): boolean {
    look();
    if (secret.hold(realPath, stat)) return true;
    if (proc.isProtected(realPath, stat, use === 'read' ? 'read' : 'write')) return true;
    if (stat !== undefined && isType(stat.mode, S_IFCHR) && MEMORY_DEVICES.has(BigInt(stat.rdev))) return true;
    if (use === 'read') return false;
    readOnly.look(looked);
    if (readOnly.hold(realPath, stat)) return true;
    return use === 'attributes' && (secret.areBelow(realPath) || readOnly.areBelow(realPath));
  }

  function isNear({ realPath, stat }: GuardedObject): boolean {
    return secret.areBelow(realPath) || proc.holds(realPath, stat);
  }

  return {
    list,
    isProtected,
    isNear,
    check(object, use, shown): void {
      if (isProtected(object, use)) throw new StewardError('protected_object', { path: shown });
    },
  };
}

/** Throws `protected_object` when the subject, or the directory in which it would be made, is protected against this use. */
export function checkSubject(guard: Guard, subject: PathSubject, use: 'read' | 'write'): void {
  guard.check({ realPath: subject.realPath, stat: subject.object?.stat }, use, subject.path);
  if (subject.parent === undefined) return;
  guard.check({ realPath: subject.parent.path, stat: statHeld(subject.parent.fd) }, use, subject.path);
}
