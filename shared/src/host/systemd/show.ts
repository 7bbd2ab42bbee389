/**
 * What systemd says of its units, asked with `systemctl show`. Changes nothing. Callers' text is one argument after `--`, and has
 * been checked to be a unit name.
 */
import { StewardError } from '../../errors.ts';
import type { ProgramRunner } from '../programs.ts';
import { wasDenied } from './jobs.ts';

/** Of thousands of units. */
const MAX_OUTPUT = 32 * 1024 * 1024;

/** The properties of one unit; those that systemd repeats (lists) have several values. */
export type UnitProperties = ReadonlyMap<string, readonly string[]>;

export interface Question {
  readonly programs: ProgramRunner;
  readonly signal: AbortSignal;
  /** Property names as in org.freedesktop.systemd1(5). */
  readonly properties: readonly string[];
  /** A unit name, or with `all` a pattern of ours. */
  readonly unit: string;
  /** Units that are not active, too. */
  readonly all?: true;
}

/** Asks systemd; times in the answer are UTC. Throws `systemd_unreachable`. */
export async function showUnits({ programs, signal, properties, unit, all }: Question): Promise<UnitProperties[]> {
  const args = ['--system', '--no-pager', ...(all === true ? ['--all'] : []), 'show', `--property=${properties.join(',')}`];
  const request = { program: 'systemctl', args: [...args, '--', unit], maxOutput: MAX_OUTPUT, utc: true, signal };
  const { status, stdout, stderr, truncated } = await reachSystemd(() => programs.run(request));
  if (truncated) throw new StewardError('systemd_unreachable', { reason: 'its answer is too long' });
  const reason = stderr.toString('utf8').trim();
  if (status !== 0 && / nor unit name\.?$/.test(reason)) throw new StewardError('unit_invalid', { unit });
  if (status !== 0) throw new StewardError('systemd_unreachable', { reason, ...(wasDenied(reason) ? { errno: 'EACCES' } : {}) });
  return parseShow(stdout.toString('utf8'));
}

/** Asks about one unit, which need not exist. Throws `systemd_unreachable`, `unit_invalid` for a name that systemd knows better. */
export async function showUnit(question: Omit<Question, 'all'>): Promise<UnitProperties> {
  const [unit] = await showUnits(question);
  if (unit === undefined) throw new StewardError('systemd_unreachable', { reason: 'it said nothing' });
  return unit;
}

/** Runs systemctl; a host without the program has no systemd to reach. */
export async function reachSystemd<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof StewardError) || error.key !== 'program_missing') throw error;
    throw new StewardError('systemd_unreachable', { reason: error.message });
  }
}

/** Parses `Name=value` lines in blocks that blank lines separate, one block per unit. */
export function parseShow(text: string): UnitProperties[] {
  const units: Map<string, string[]>[] = [];
  for (const block of text.split(/\n{2,}/)) {
    const unit = new Map<string, string[]>();
    for (const line of block.split('\n')) {
      const at = line.indexOf('=');
      if (at <= 0) continue;
      const name = line.slice(0, at);
      const values = unit.get(name);
      if (values === undefined) unit.set(name, [line.slice(at + 1)]);
      else values.push(line.slice(at + 1));
    }
    if (unit.size > 0) units.push(unit);
  }
  return units;
}

/** The value of a property, empty when systemd did not give it. */
export function propertyOf(unit: UnitProperties, name: string): string {
  return unit.get(name)?.[0] ?? '';
}

/** All values of a property that systemd repeats. */
export function propertiesOf(unit: UnitProperties, name: string): readonly string[] {
  return (unit.get(name) ?? []).filter((value) => value !== '');
}
