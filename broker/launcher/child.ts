/**
 * Starts one process of the launcher. Root runs this. Nothing of the launcher's environment is handed on, and of a terminal only
 * the way to write: what is typed there is not for the children.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { isatty } from 'node:tty';
import type { Command } from './commands.ts';

/** open(2) of Linux, as /proc/<pid>/fdinfo shows it; Node opens all of its own descriptors with it. */
const O_CLOEXEC = 0o2000000;

/** Closes what the launcher's own parent left open (a shell's pipes, make's jobserver): children would inherit it too. */
export function closeInherited(): void {
  for (const fd of readdirSync('/proc/self/fd').map(Number)) {
    if (fd > 2 && !isClosedOnExec(fd)) closeSync(fd);
  }
}

function isClosedOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '';
    return (Number.parseInt(flags, 8) & O_CLOEXEC) !== 0;
  } catch {
    return true; // The descriptor of the listing itself, gone by now.
  }
}

const OUTPUTS = [1, 2].map((fd) => (isatty(fd) ? openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NOCTTY) : fd));

/** Standard input, then what becomes descriptor 3, 4, .. of the child. */
export type Inherited = readonly ['ignore' | 'pipe' | Socket, ...number[]];

/** Called once, with the exit status or null (ended by a signal, could not be started). */
export type Ended = (status: number | null) => void;

/** Starts a child in a session of its own, so that Ctrl-C reaches the launcher alone. */
export function startChild(command: Command, [input, ...descriptors]: Inherited, ended: Ended): ChildProcess {
  const stdio = [input, ...OUTPUTS, ...descriptors];
  const child = spawn(command.program, command.args, { stdio, env: command.env, cwd: '/', detached: true });
  child.once('exit', ended);
  child.once('error', (error) => {
    console.error(`launcher: ${error.message}`);
    // Without a pid it never ran, and there will be no exit.
    if (child.pid === undefined) ended(null);
  });
  return child;
}

/**
 * Passes a hangup on to a child that listens for it. One that does not yet would be ended by it; it has its configuration still to
 * come, so nothing is lost.
 */
export function passHangup(child: ChildProcess): void {
  if (catchesHangup(child.pid)) child.kill('SIGHUP');
}

/** SigCgt of proc_pid_status(5): the signals that a process has handlers for, signal 1 being the lowest bit. */
function catchesHangup(pid: number | undefined): boolean {
  try {
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'latin1'))?.[1] ?? '0';
    return (BigInt(`0x${caught}`) & 1n) === 1n;
  } catch {
    return false; // it is gone
  }
}
