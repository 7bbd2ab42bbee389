/**
 * The units as text: enough of systemd.syntax(7) to compare what they permit with what the broker's table says, and to show what
 * systemd itself makes of them. Build time only.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './sources.ts';

export const UNITS = join(ROOT, 'systemd');

/** One `Name=value` of a unit, in its order. */
export interface Assignment {
  readonly section: string;
  readonly name: string;
  readonly value: string;
  /** The lines of comment above it, without a blank line between, but for headings (`# -- Files`). */
  readonly comment: string;
}

/** Reads a unit file or drop-in. Continuation lines are not used in ours and are refused. */
export function parseUnit(text: string): Assignment[] {
  const found: Assignment[] = [];
  let section = '';
  let comment = '';
  for (const line of text.split('\n')) {
    if (line.endsWith('\\')) throw new Error(`continued line: ${line}`);
    const header = /^\[(\w+)\]$/.exec(line);
    const assignment = /^(\w+)=(.*)$/.exec(line);
    if (header !== null) section = header[1] ?? '';
    if (assignment !== null) found.push({ section, name: assignment[1] ?? '', value: assignment[2] ?? '', comment });
    else if (!line.startsWith('#')) comment = '';
    else if (!line.startsWith('# -- ')) comment += `${line}\n`;
  }
  return found;
}

/** The words of all assignments to a name together, as systemd adds up lists. */
export function words(unit: readonly Assignment[], name: string): string[] {
  return unit.filter((one) => one.name === name).flatMap((one) => one.value.split(' ').filter((word) => word !== ''));
}

export function readUnit(name: string): Assignment[] {
  return parseUnit(readFileSync(join(UNITS, name), 'utf8'));
}

/** A directory that looks like the root of a host where the units are installed, for `--root=` of systemd-analyze(1). */
export interface FakeRoot {
  readonly directory: string;
  /** Puts a drop-in of the broker's template into effect, and takes all others away. */
  dropIn(text: string | undefined): void;
  /** Runs systemd-analyze there; its output, whatever its exit status. */
  analyze(...args: readonly string[]): { readonly status: number; readonly output: string };
  remove(): void;
}

const SYSTEM = 'usr/lib/systemd/system';

export function fakeRoot(): FakeRoot {
  const directory = mkdtempSync(join(tmpdir(), 'steward-units-'));
  const dropIns = join(directory, 'etc/systemd/system/steward-broker@.service.d');
  for (const name of [SYSTEM, 'usr/lib/steward', 'usr/bin', 'bin']) mkdirSync(join(directory, name), { recursive: true });
  for (const name of readdirSync(UNITS).filter((one) => /\.(service|socket|timer|path)$/.test(one)))
    cpSync(join(UNITS, name), join(directory, SYSTEM, name));
  // Targets and slices that ours refer to.
  for (const name of readdirSync(join('/', SYSTEM)).filter((one) => /\.(target|slice)$/.test(one)))
    cpSync(join('/', SYSTEM, name), join(directory, SYSTEM, name), { verbatimSymlinks: true });
  // What they start need only be there.
  for (const program of ['usr/lib/steward/node', 'usr/bin/chattr', 'bin/systemctl'])
    writeFileSync(join(directory, program), '', { mode: 0o755 });
  return {
    directory,
    dropIn: (text) => {
      rmSync(dropIns, { recursive: true, force: true });
      if (text === undefined) return;
      mkdirSync(dropIns, { recursive: true });
      writeFileSync(join(dropIns, 'one.conf'), text);
    },
    analyze: (...args) => run([...args.slice(0, 1), `--root=${directory}`, ...args.slice(1)]),
    remove: () => rmSync(directory, { recursive: true }),
  };
}

function run(args: readonly string[]): { status: number; output: string } {
  try {
    const output = execFileSync('systemd-analyze', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    return { status: 0, output };
  } catch (error) {
    const { status, stdout, stderr } = error as { status?: number; stdout?: string; stderr?: string };
    if (typeof status !== 'number') throw error;
    return { status, output: `${stdout ?? ''}${stderr ?? ''}` };
  }
}
