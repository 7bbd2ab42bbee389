/**
 * A journal for machines that have none: real journal files, which systemd-journal-remote makes of the export format
 * (systemd.io/JOURNAL_EXPORT_FORMATS). It lies where journalctl looks by itself, and exactly what was made is removed again.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { programPath } from './program.ts';

const JOURNALS = ['/var/log/journal', '/run/log/journal'];
/** Of the Debian package of the same name. */
const REMOTE = '/lib/systemd/systemd-journal-remote';
const ENTRIES = 20_000;
const BOOT = '5c2f7b0e8a4d4f0c9b1e3d6a7f809112';
const PROGRAMS = ['sshd', 'systemd', 'kernel', 'cron', 'nginx', 'postgres', 'dockerd', 'NetworkManager', 'smartd'];

/** A journal that can be read, or why there is none. */
export interface BenchJournal {
  readonly why?: string;
  /** Said in the report behind the number of lines; empty for the own journal of the host. */
  readonly note: string;
  readonly close: () => void;
}

/** The host's own journal where it has one, else one of 20,000 entries. */
export function findOrMakeJournal(): BenchJournal {
  const nothing = { note: '', close: () => undefined };
  if (JOURNALS.some(holdsJournal)) return nothing;
  if (programPath('journalctl') === undefined) return { ...nothing, why: 'journalctl is not installed' };
  if (!existsSync(REMOTE)) return { ...nothing, why: 'this machine has no journal, nor systemd-journal-remote to make one' };
  return makeJournal();
}

function holdsJournal(directory: string): boolean {
  if (!existsSync(directory)) return false;
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('.journal'));
}

function makeJournal(): BenchJournal {
  const machine = readFileSync('/etc/machine-id', 'utf8').trim();
  const parent = JOURNALS[0] ?? '';
  const directory = join(parent, machine);
  const made = [directory, parent].filter((path) => !existsSync(path));
  mkdirSync(directory, { recursive: true });
  // journalctl takes a file for one of the system's by its name
  const file = join(directory, `system@steward-bench-${process.pid}.journal`);
  const close = (): void => {
    rmSync(file, { force: true });
    for (const path of made) if (readdirSync(path).length === 0) rmdirSync(path);
  };
  const { status, stderr } = spawnSync(REMOTE, ['-o', file, '-'], { input: exported(machine), encoding: 'utf8' });
  if (status !== 0) close();
  return status === 0
    ? { note: ` of a journal of ${ENTRIES} entries, made for this`, close }
    : { why: `no journal could be made: ${stderr.trim()}`, note: '', close: () => undefined };
}

/** Entries of the last hours, one every half second, by several programs and of several lengths. */
function exported(machine: string): string {
  const begin = Date.now() - ENTRIES * 500;
  return Array.from({ length: ENTRIES }, (_, index) => entry(machine, begin + index * 500, index)).join('');
}

function entry(machine: string, time: number, index: number): string {
  const program = PROGRAMS[index % PROGRAMS.length] ?? '';
  const fields = {
    __REALTIME_TIMESTAMP: String(time * 1000),
    __MONOTONIC_TIMESTAMP: String((index + 1) * 500_000),
    _BOOT_ID: BOOT,
    _MACHINE_ID: machine,
    _HOSTNAME: 'bench',
    _TRANSPORT: 'syslog',
    PRIORITY: String(3 + (index % 5)),
    SYSLOG_IDENTIFIER: program,
    _PID: String(200 + (index % 4000)),
    _COMM: program,
    _SYSTEMD_UNIT: `${program}.service`,
    MESSAGE: `request ${index} from 192.0.2.${index % 255} answered${' with one more word'.repeat(index % 8)}`,
  };
  return `${Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n\n`;
}
