/**
 * One edit of a configuration at a time: of the daemon's, and of the file of contexts. The lock is flock(2) on a file of the
 * configuration directory that only its owner can open, so a crashed edit holds nothing up: the kernel lets go with the process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, EXIT } from './exit.ts';

/** Node has no flock(2); the program of util-linux takes the lock on a descriptor that it shares with this process. */
const FLOCK = '/usr/bin/flock';
const WAIT_SECONDS = 60;

async function takeLock(fd: number, directory: string): Promise<void> {
  const child = spawn(FLOCK, ['--exclusive', '--timeout', String(WAIT_SECONDS), '3'], {
    stdio: ['ignore', 'ignore', 'ignore', fd],
  });
  const [status] = (await once(child, 'exit').catch(() => [127])) as [number | null];
  if (status === 0) return;
  if (status === 127) throw new CliError(EXIT.failed, `${FLOCK} cannot be started: it is needed to edit the configuration`);
  throw new CliError(EXIT.failed, `another edit of ${directory} is under way`);
}

/** Runs `work` while no other edit of the directory runs. Waits up to a minute for its turn. */
export async function withLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const file = await open(join(directory, '.edit.lock'), O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    await takeLock(file.fd, directory);
    return await work();
  } finally {
    await file.close();
  }
}
