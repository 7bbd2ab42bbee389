/**
 * The command lines of the pair: with which user, capabilities and runtime flags each process is started. Pure, so that what root
 * starts can be read and tested in one place.
 */
import { join } from 'node:path';
import { SMART_CAPABILITIES } from '@steward/shared/catalogue/row.ts';
import { BROKER_CAPABILITIES } from '@steward/shared/generated/table.ts';
import type { LaunchOptions } from './options.ts';

const SETPRIV = '/usr/bin/setpriv';
/** Of the runtime, for both daemons; the broker has `--frozen-intrinsics` too. */
export const FLAGS: readonly string[] = [
  '--jitless',
  '--disable-proto=delete',
  '--disallow-code-generation-from-strings',
  '--no-addons',
  // Otherwise SIGUSR1 opens a debugger on loopback, where every local user may do what the process may.
  '--disable-sigusr1',
  '--disable-warning=ExperimentalWarning',
  // Garbage is collected while there is little of it, in every thread, and once more when the start is over (shared/src/host/settle.ts).
  '--max-semi-space-size=2',
  '--initial-old-space-size=8',
  '--expose-gc',
];
/** Of the C library: all threads share one heap, and what is free at its end goes back to the kernel; mallopt(3). */
const MEMORY = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };

/** A program to start. Nothing of the launcher's own environment is handed on. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Files that the frontend is handed open, as descriptors 4, 5 and 6; 3 is the directory of the socket. It needs no other file
 * of the checkout, which may lie where its account cannot go.
 */
export function handedOver(options: LaunchOptions): string[] {
  return [process.execPath, join(options.dist, 'frontend.js'), join(options.dist, 'frontend-worker.js')];
}

const fd = (number: number): string => `/proc/self/fd/${number}`;

/** The frontend: as its account without any capability, or with the rights of the ordinary user that started this. */
export function frontendCommand(options: LaunchOptions): Command {
  const { account } = options;
  const drop =
    account === undefined ? [] : [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', '--bounding-set=-all'];
  const program = [fd(4), ...FLAGS, '--preserve-symlinks-main', fd(5)];
  const listen = options.listen.flatMap((address) => ['--listen', address]);
  const args = ['--socket', `${fd(3)}/broker.sock`, '--worker', fd(6), '--exit-with-stdin', ...listen];
  return { program: SETPRIV, args: [...drop, '--inh-caps=-all', '--no-new-privs', '--', ...program, ...args], env: MEMORY };
}

/** The broker: as root with the capabilities that the table's rows need and no more, or with the ordinary user's rights. */
export function brokerCommand(options: LaunchOptions, capabilities: readonly string[] = BROKER_CAPABILITIES): Command {
  const permitted = capabilities.filter((name) => options.smart || !SMART_CAPABILITIES.some((one) => one === name));
  const bounds = ['-all', ...permitted.map((name) => `+${name.toLowerCase()}`)].join(',');
  const limit = options.account === undefined ? [] : [`--bounding-set=${bounds}`, '--clear-groups'];
  const program = [process.execPath, ...FLAGS, '--frozen-intrinsics', join(options.dist, 'broker.js')];
  const args = ['--config-dir', options.configDir, '--state-dir', options.stateDir];
  const peer = options.account?.uid ?? process.getuid?.();
  return {
    program: SETPRIV,
    args: [...limit, '--inh-caps=-all', '--no-new-privs', '--', ...program, ...args],
    env: { ...MEMORY, STEWARD_PEER: `launcher-${String(peer)}` },
  };
}

/** Makes the certificate when there is none yet. */
export function certsCommand(options: LaunchOptions): Command {
  return { program: process.execPath, args: [join(options.dist, 'certs.js'), '--config-dir', options.configDir], env: {} };
}
