/**
 * Which files of procfs no tool shows: environments and memory of any process, almost everything of steward's own processes, and
 * the kernel's memory and log. Nothing on procfs is ever written. proc(5).
 */
import { readFileSync, statSync, type BigIntStats } from 'node:fs';
import { makeDevice } from './device-number.ts';

/** Harmless files of steward's own processes. */
const OWN_SHOWN: ReadonlySet<string> = new Set(['stat', 'statm', 'status', 'cmdline', 'comm', 'limits', 'io']);
/** Milliseconds for which the list of mounts holds. */
const FRESH_MS = 250;

export class ProcRules {
  readonly #pids: readonly number[];
  #devices = new Set<bigint>();
  #checked = -Infinity;

  /** `pids`: steward's own processes. */
  constructor(pids: readonly number[]) {
    this.#pids = pids;
  }

  isProtected(realPath: string, stat: BigIntStats | undefined, use: 'read' | 'write'): boolean {
    const below = this.#pathOnProc(realPath, stat);
    if (below === undefined) return false;
    if (use === 'write' || below === 'kcore' || below === 'kmsg') return true;
    const [pid, ...rest] = below.split('/');
    if (pid === undefined || !/^\d+$/.test(pid) || rest.length === 0) return false;
    const file = rest[0] === 'task' ? rest[2] : rest[0];
    if (file === 'environ' || file === 'mem') return true;
    if (rest.length === 1 && OWN_SHOWN.has(rest[0] ?? '')) return false;
    return this.#isOwn(Number(pid));
  }

  /** Path below the mount point of procfs; procfs mounted elsewhere is recognised by its device. */
  #pathOnProc(realPath: string, stat: BigIntStats | undefined): string | undefined {
    if (realPath.startsWith('/proc/')) return realPath.slice('/proc/'.length);
    if (realPath === '/proc') return '';
    if (stat === undefined || !this.#onProc(stat.dev)) return undefined;
    const found = /\/((?:\d+(?:\/.*)?)|kcore|kmsg)$/.exec(realPath);
    return found?.[1] ?? '';
  }

  #onProc(device: bigint): boolean {
    const now = performance.now();
    if (now - this.#checked > FRESH_MS) {
      this.#devices = procDevices();
      this.#checked = now;
    }
    return this.#devices.has(device);
  }

  /** Threads have directories of their own in /proc that are not listed; they belong to their process all the same. */
  #isOwn(pid: number): boolean {
    if (this.#pids.includes(pid)) return true;
    return this.#pids.some((own) => statSync(`/proc/${own}/task/${pid}`, { throwIfNoEntry: false }) !== undefined);
  }
}

/** Devices of all mounted procfs instances, as st_dev (mountinfo: `ID PARENT MAJOR:MINOR ... - proc SOURCE OPTIONS`). */
function procDevices(): Set<bigint> {
  const devices = new Set<bigint>();
  for (const line of mountLines()) {
    const device = /^\d+ \d+ (\d+):(\d+) .* - proc /.exec(line);
    if (device !== null) devices.add(makeDevice(BigInt(device[1] ?? 0), BigInt(device[2] ?? 0)));
  }
  return devices;
}

function mountLines(): string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  } catch {
    return [];
  }
}
