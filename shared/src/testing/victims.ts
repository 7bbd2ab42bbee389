/** For unit tests alone: processes to signal that do not descend from the test, as no process of this host descends from steward. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** A program that waits; its parent has gone. The caller ends it with `endVictim`. `secret` is in its environment. */
export function startVictim({ uid, secret = '' }: { readonly uid?: number; readonly secret?: string } = {}): number {
  const owner = uid === undefined ? {} : { uid, gid: uid };
  const env = { PATH: '/usr/bin:/bin', STEWARD_TEST: secret };
  const output = execFileSync('/bin/sh', ['-c', 'sleep 60 >/dev/null 2>&1 & echo $!'], { encoding: 'utf8', env, ...owner });
  return Number(output);
}

/** True while the process exists and has not ended. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Waits until the process has ended, two seconds at most. */
export async function hasEnded(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100 && isAlive(pid); tries++) await new Promise((done) => setTimeout(done, 20));
  return !isAlive(pid);
}

export function endVictim(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended already
  }
}

/** A number that was a process's until now: what `use` makes of the process while it is alive, and its pid. */
export async function endedProcess<T>(use: (pid: number) => T): Promise<{ readonly pid: number; readonly made: T }> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  const made = use(pid);
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit; // it has been waited for: nothing is left of it, whatever kind of init this host has
  return { pid, made };
}
