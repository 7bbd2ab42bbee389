/**
 * The files of one run of the virtual machine: a read-only disk with the built programs and the runtime, two empty disks, and the
 * structures of its firmware. Root runs this; test only.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE } from '../debian/cache.ts';
import { DIST } from '../pair.ts';
import { MEMORY_DEVICES, structureOf } from './memory.ts';

const AGENT = fileURLToPath(new URL('agent.mjs', import.meta.url));
/** Bytes of each empty disk; sparse. */
export const DISK_BYTES = 256 << 20;
const PROGRAMS_SIZE = '256M';

export interface MachineFiles {
  readonly directory: string;
  /** ext4 with the label `build`. */
  readonly programs: string;
  readonly nvme: string;
  readonly sata: string;
  readonly memory: readonly string[];
  /** Where the emulator makes the socket of the agent's port. */
  readonly socket: string;
  remove(): void;
}

/** Makes the files in a directory of this process; removes those of processes that are gone. */
export function machineFiles(): MachineFiles {
  for (const name of readdirSync(CACHE)) {
    const pid = /^run-(\d+)$/.exec(name)?.[1];
    const isLeft = pid !== undefined && !existsSync(`/proc/${pid}`);
    if (isLeft) rmSync(join(CACHE, name), { recursive: true, force: true });
  }
  const directory = join(CACHE, `run-${process.pid}`);
  mkdirSync(directory, { mode: 0o700 });
  const [programs, nvme, sata] = ['programs.img', 'nvme.img', 'sata.img'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const disk of [nvme, sata]) {
    writeFileSync(disk, '');
    truncateSync(disk, DISK_BYTES);
  }
  const memory = MEMORY_DEVICES.map((device, index) => {
    const file = join(directory, `memory-${index}`);
    writeFileSync(file, structureOf(device, index));
    return file;
  });
  makePrograms(join(directory, 'programs'), programs);
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  return { directory, programs, nvme, sata, memory, socket: join(directory, 'agent'), remove };
}

function makePrograms(work: string, disk: string): void {
  for (const name of ['', 'runtime', 'test']) mkdirSync(join(work, name), { mode: 0o755 });
  cpSync(DIST, join(work, 'steward'), { recursive: true });
  copyFileSync(process.execPath, join(work, 'runtime/node'));
  copyFileSync(AGENT, join(work, 'test/agent.mjs'));
  // Whoever owns the checkout, inside it is root's.
  execFileSync('chown', ['-R', '0:0', work]);
  execFileSync('mke2fs', ['-q', '-t', 'ext4', '-O', '^has_journal', '-L', 'build', '-d', work, disk, PROGRAMS_SIZE]);
  rmSync(work, { recursive: true });
}
