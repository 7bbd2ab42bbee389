/**
 * stewardctl verify: do the two processes run confined as they were shipped? Judges what the kernel says about them; asks neither.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMART_CAPABILITIES } from '@steward/shared/catalogue/row.ts';
import { BROKER_CAPABILITIES } from '@steward/shared/generated/table.ts';
import { capabilityNames } from './capabilities.ts';
import { PROGRAMS, type Finding } from './verify-finding.ts';
import type { UnitProcess } from './verify-processes.ts';

/** Names of the units in paths of control groups. */
export const FRONTEND_UNIT = /^steward-frontend\.service$/;
export const BROKER_UNIT = /^steward-broker@.*\.service$/;

/** The command line that a shipped unit file begins its process with. */
export function shippedCommand(root: string, unit: string): readonly string[] {
  const text = readFileSync(join(root, '/usr/lib/systemd/system', unit), 'utf8');
  return (/^ExecStart=(.*)$/m.exec(text)?.[1] ?? '').split(' ');
}

/** The frontend: its own account, no capability and no way to one. `uid`: of the configured account. */
export function checkFrontend(processes: readonly UnitProcess[], uid: number | undefined, command: readonly string[]): Finding {
  const wrong = processes.flatMap((process) => [
    ...(uid === undefined || uid === 0 ? [at(process, 'its configured account has no uid but 0')] : []),
    ...judgeUid(process, uid),
    ...judgeCapabilities(process, []),
    ...judgeConfined(process),
  ]);
  if (processes.length === 0) wrong.push('it does not run: systemctl status steward-frontend says why');
  wrong.push(...judgeProgram(processes, command));
  return { holds: `runs as uid ${uid ?? '?'}, without capabilities, gains none, behind a filter of system calls`, wrong };
}

/** The broker: root, with no more of root's powers than rows of the table need. */
export function checkBroker(processes: readonly UnitProcess[], command: readonly string[]): Finding {
  const wrong = processes.flatMap((process) => [
    ...judgeUid(process, 0),
    ...judgeCapabilities(process, BROKER_CAPABILITIES),
    ...judgeConfined(process),
  ]);
  wrong.push(...judgeProgram(processes, command));
  if (processes.length === 0) return { holds: 'none runs: it is started for the connection of a frontend', wrong };
  const smart = processes.some(({ capabilities }) =>
    capabilityNames(capabilities.bounding).some((name) => (SMART_CAPABILITIES as readonly string[]).includes(name)),
  );
  const powers = `no capability but those of the table${smart ? ', with those for SMART' : ''}`;
  return { holds: `runs as root with ${powers}, gains none, behind a filter of system calls`, wrong };
}

const at = ({ pid }: UnitProcess, what: string): string => `process ${pid}: ${what}`;

function judgeUid(process: UnitProcess, uid: number | undefined): string[] {
  const other = process.uids.find((one) => one !== uid);
  return other === undefined && process.uids.length > 0 ? [] : [at(process, `runs as uid ${other ?? '?'}, not ${uid ?? '?'}`)];
}

function judgeCapabilities(process: UnitProcess, allowed: readonly string[]): string[] {
  return Object.entries(process.capabilities).flatMap(([set, bits]) => {
    const more = capabilityNames(bits).filter((name) => !allowed.includes(name));
    return more.length === 0 ? [] : [at(process, `its ${set} capabilities hold ${more.join(', ')}`)];
  });
}

function judgeConfined(process: UnitProcess): string[] {
  return [
    ...(process.noNewPrivileges ? [] : [at(process, 'could gain privileges by executing a program (NoNewPrivs is not 1)')]),
    ...(process.filtered ? [] : [at(process, 'has no filter of system calls (Seccomp is not 2)')]),
  ];
}

/** The unit's own process, not the programs that it starts: which runtime, and with which flags. */
function judgeProgram(processes: readonly UnitProcess[], command: readonly string[]): string[] {
  const pids = processes.map(({ pid }) => pid);
  return processes
    .filter(({ parent }) => !pids.includes(parent))
    .flatMap((process) => {
      const runtime = `${PROGRAMS}/node`;
      if (process.program !== runtime) return [at(process, `runs ${process.program}, not ${runtime}`)];
      // A title has replaced the arguments once the process is up.
      const visible = process.command[0] === runtime;
      const same = process.command.join(' ') === command.join(' ');
      return visible && !same ? [at(process, 'was not started with the command line of the shipped unit')] : [];
    });
}
