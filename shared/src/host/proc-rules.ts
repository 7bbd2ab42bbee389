/**
 * Which files of procfs no tool shows: environments and memory of any process, almost everything of steward's own processes, and
 * the kernel's memory and log. Nothing on procfs is ever written. proc(5).
 */
import { statSync } from 'node:fs';
import { makeDevice } from './device-number.ts';
import type { GuardedStatus } from './guard.ts';
import { below, innermost, type MountView, type Place } from './mount-view.ts';

/** Harmless files of steward's own processes. */
const OWN_SHOWN: ReadonlySet<string> = new Set(['stat', 'statm', 'status', 'cmdline', 'comm', 'limits', 'io']);

export class ProcRules {
  readonly #pids: readonly number[];
  readonly #mounts: MountView;
  /** The mounts from which the rest was made. */
  #places: readonly Place[] | undefined;
  /** Where procfs is mounted now besides `/proc`, and the devices of all its mounts. */
  #elsewhere: readonly Place[] = [];
  #devices = new Set<bigint>();

  /** `pids`: steward's own processes. */
  constructor(pids: readonly number[], mounts: MountView) {
    this.#pids = pids;
    this.#mounts = mounts;
  }

  /** Follows what is mounted; to be called when the mounts were looked at. */
  look(): void {
    const { places } = this.#mounts;
    if (places === this.#places) return;
    this.#places = places;
    const onProc = places.filter(({ type }) => type === 'proc');
    this.#elsewhere = onProc.filter(({ point }) => !isOnProc(point));
    this.#devices = devicesOf(onProc);
  }

  isProtected(realPath: string, stat: GuardedStatus | undefined, use: 'read' | 'write'): boolean {
    const inside = this.#pathOnProc(realPath, stat);
    if (inside === undefined) return false;
    if (use === 'write' || inside === 'kcore' || inside === 'kmsg') return true;
    const [pid, ...rest] = inside.split('/');
    if (pid === undefined || !/^\d+$/.test(pid) || rest.length === 0) return false;
    const file = rest[0] === 'task' ? rest[2] : rest[0];
    if (file === 'environ' || file === 'mem') return true;
    if (rest.length === 1 && OWN_SHOWN.has(rest[0] ?? '')) return false;
    return this.#isOwn(Number(pid));
  }

  /** Whether an object lies on procfs. */
  holds(realPath: string, stat: GuardedStatus | undefined): boolean {
    return this.#pathOnProc(realPath, stat) !== undefined;
  }

  /** Path below the root of procfs, wherever it or a part of it is mounted. */
  #pathOnProc(realPath: string, stat: GuardedStatus | undefined): string | undefined {
    if (isOnProc(realPath)) return realPath.slice('/proc/'.length);
    const place = innermost(this.#elsewhere, realPath);
    if (place !== undefined) return below(place.root, realPath, place.point).slice(1);
    if (stat === undefined || !this.#devices.has(BigInt(stat.dev))) return undefined;
    // On procfs, but no mount that is known leads there: it is judged by its last names.
    return /^.*\/(\d+(?:\/.+)?|kcore|kmsg)$/s.exec(realPath)?.[1] ?? '';
  }

  /** Threads have directories of their own in /proc that are not listed; they belong to their process all the same. */
  #isOwn(pid: number): boolean {
    if (this.#pids.includes(pid)) return true;
    return this.#pids.some((own) => statSync(`/proc/${own}/task/${pid}`, { throwIfNoEntry: false }) !== undefined);
  }
}

/** Whether a path is that of `/proc` or of something in it. */
function isOnProc(path: string): boolean {
  return path.startsWith('/proc') && (path.length === '/proc'.length || path.startsWith('/proc/'));
}

/** Devices of mounts, as st_dev. */
function devicesOf(places: readonly Place[]): Set<bigint> {
  const numbers = places.map(({ device }) => device.split(':'));
  return new Set(numbers.map(([major = '0', minor = '0']) => makeDevice(BigInt(major), BigInt(minor))));
}
