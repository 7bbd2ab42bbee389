/**
 * The directory of the launcher's socket: below one that only its owner can enter, so that the sole way to the socket is the
 * descriptor that the frontend is handed.
 */
import { chmodSync, constants, existsSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** open(2); Node has no name for it. */
const O_PATH = 0o10000000;

export interface PrivateDirectory {
  /** O_PATH descriptor of the directory. */
  readonly fd: number;
  /** Path of the socket through the descriptor: works for any length of the real path. */
  readonly socket: string;
  /** Removes the directory with what is in it. */
  remove(): void;
}

/** Makes `pair-<pid>/in` in the state directory and removes what launchers left there that were killed. */
export function privateDirectory(stateDir: string): PrivateDirectory {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(stateDir)) {
    const pid = /^pair-(\d+)$/.exec(name)?.[1];
    const isLeft = pid !== undefined && (Number(pid) === process.pid || !existsSync(`/proc/${pid}`));
    if (isLeft) rmSync(join(stateDir, name), { recursive: true, force: true });
  }
  const outer = join(stateDir, `pair-${process.pid}`);
  mkdirSync(outer, { mode: 0o700 });
  const inner = join(outer, 'in');
  mkdirSync(inner);
  chmodSync(inner, 0o711);
  const fd = openSync(inner, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return {
    fd,
    socket: `/proc/self/fd/${fd}/broker.sock`,
    remove: () => rmSync(outer, { recursive: true, force: true }),
  };
}
