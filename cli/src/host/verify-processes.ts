/**
 * The processes of a systemd unit with what the kernel says about their rights (proc(5), capabilities(7), cgroups(7)). They are found
 * by control group, because a process can choose its name, but not leave its unit's group. Must run as root to see all of it.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '@steward/shared/errors.ts';
import { listPids, readCommandLine } from '@steward/shared/host/processes.ts';

export interface UnitProcess {
  readonly pid: number;
  readonly parent: number;
  /** The program that it runs; ends with ` (deleted)` when the file has been replaced. */
  readonly program: string;
  /** Arguments, or the title that the process has put in their place. */
  readonly command: readonly string[];
  /** Real, effective, saved and file system uid. */
  readonly uids: readonly number[];
  /** Sets as bits, bit n for capability number n. */
  readonly capabilities: Readonly<Record<'effective' | 'permitted' | 'inheritable' | 'ambient' | 'bounding', bigint>>;
  readonly noNewPrivileges: boolean;
  /** True when a filter of system calls is in force. */
  readonly filtered: boolean;
}

/** The processes in the control group of a unit whose name matches. A process that ends meanwhile is left out. */
export function unitProcesses(root: string, unit: RegExp): readonly UnitProcess[] {
  return listPids(root).flatMap((pid) => {
    try {
      return belongsTo(root, pid, unit) ? [readProcess(root, pid)] : [];
    } catch (error) {
      if (['ENOENT', 'ESRCH'].includes(errnoOf(error) ?? '')) return [];
      throw error;
    }
  });
}

/** Lines `hierarchy:controllers:path`; of a service, the unit's name is one component of the path. */
function belongsTo(root: string, pid: number, unit: RegExp): boolean {
  const groups = readFileSync(join(root, `/proc/${pid}/cgroup`), 'utf8')
    .trimEnd()
    .split('\n');
  return groups.some((line) => line.split('/').some((component) => unit.test(component)));
}

function readProcess(root: string, pid: number): UnitProcess {
  const text = readFileSync(join(root, `/proc/${pid}/status`), 'utf8');
  const field = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(text)?.[1] ?? '';
  // A set that the kernel does not show counts as full.
  const set = (name: string): bigint => BigInt(`0x${field(name) || 'ffffffffffffffff'}`);
  return {
    pid,
    parent: Number(field('PPid')),
    program: readlinkSync(join(root, `/proc/${pid}/exe`)),
    command: readCommandLine(root, `/proc/${pid}`),
    uids: field('Uid').split(/\s+/).map(Number),
    capabilities: {
      effective: set('CapEff'),
      permitted: set('CapPrm'),
      inheritable: set('CapInh'),
      ambient: set('CapAmb'),
      bounding: set('CapBnd'),
    },
    noNewPrivileges: field('NoNewPrivs') === '1',
    filtered: field('Seccomp') === '2',
  };
}
