/** The classic programs: each run is a whole process whose output is read to its end, as the account the frontend has. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { frontendAccount, isRoot } from '../../test/support/pair.ts';
import type { Contestant } from './line.ts';

/** Where a program of that name is, or undefined. */
export function programPath(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((directory) => `${directory}/${name}`).find(existsSync);
}

function frontendIds(): { uid: number; gid: number } {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((candidate) => candidate.startsWith(`${frontendAccount()}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

export interface ProgramOptions {
  /** Run it as root, beside a privileged call. */
  readonly privileged?: boolean;
  /** Some programs end with another status because not everything could be read. */
  readonly anyStatus?: boolean;
}

/** The program as a contestant. Throws when it is not installed. */
export function program(name: string, args: readonly string[], options: ProgramOptions = {}): Contestant {
  const path = programPath(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  const ids = isRoot && options.privileged !== true ? frontendIds() : {};
  return {
    name: [name, ...args.map((arg) => (arg === '' ? "''" : arg))].join(' '),
    run: () =>
      new Promise((done, fail) => {
        const child = spawn(path, args, {
          ...ids,
          stdio: ['ignore', 'pipe', 'ignore'],
          env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
        });
        child.stdout.resume();
        child.once('error', fail);
        child.once('close', (status) => {
          if (status === 0 || options.anyStatus === true) done(undefined);
          else fail(new Error(`${name} ended with status ${String(status)}`));
        });
      }),
  };
}
