/**
 * What the broker insists on before it does anything: who is at the other end, and that nobody handed it anything else. Neither is
 * configurable.
 */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { isatty } from 'node:tty';
import { hostAccounts } from '@steward/shared/config/load.ts';

/** `<n>-<pid>-<uid>` of systemd up to 257, `<n>-<cookie>-<pid>[_<id>]-<uid>` later. */
const INSTANCE = /^\d+(?:-\d+)?-(\d+)(?:_\d+)?-(\d+)$/;
const LAUNCHER = /^launcher-(\d+)$/;

export interface Peer {
  readonly uid: number;
  /** Known only under systemd. */
  readonly pid: number | undefined;
}

/** Reads STEWARD_PEER; undefined when it is not one of the two forms. */
export function parsePeer(text: string): Peer | undefined {
  const launcher = LAUNCHER.exec(text);
  if (launcher !== null) return { uid: Number(launcher[1]), pid: undefined };
  const instance = INSTANCE.exec(text);
  return instance === null ? undefined : { uid: Number(instance[2]), pid: Number(instance[1]) };
}

/** Why this peer is not the frontend, or undefined when it is. `own` is the broker's own uid. */
export function peerProblem(peer: Peer | undefined, own: number, account: string, accounts = hostAccounts()): string | undefined {
  if (peer === undefined) return 'STEWARD_PEER does not name a peer';
  if (own !== 0) return peer.uid === own ? undefined : `the peer has uid ${peer.uid}, not ${own}`;
  if (peer.uid === 0) return 'the peer is root: a frontend with uid 0 would be no boundary';
  const expected = accounts.get(account);
  if (expected === undefined) return `there is no account ${account} (broker.frontend_account)`;
  return peer.uid === expected ? undefined : `the peer has uid ${peer.uid}, not that of ${account} (${expected})`;
}

/** Descriptors beside 0 to 2 that the runtime itself opens. */
const EXPECTED = [/^anon_inode:/, /^pipe:/, /^\/dev\/null$/];

/** What 1 or 2 lead to when they are a terminal: the runtime opens that a second time for its own output. */
function ownTerminals(): string[] {
  return [1, 2].filter((fd) => isatty(fd)).map((fd) => readlinkSync(`/proc/self/fd/${fd}`));
}

/** The first inherited descriptor that nobody should have passed, as `5 -> /etc/shadow`; undefined when there is none. */
export function strayDescriptor(): string | undefined {
  const terminals = ownTerminals();
  for (const fd of readdirSync('/proc/self/fd').map(Number)) {
    if (fd <= 2) continue;
    let target: string;
    try {
      target = readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      continue; // the descriptor of the listing itself
    }
    const isExpected = EXPECTED.some((pattern) => pattern.test(target)) || terminals.includes(target);
    if (!isExpected) return `${fd} -> ${target}`;
  }
  return undefined;
}

/** The processes of this pair: this one, its peer, and a launcher with its other children. */
export function ownProcesses(peer: Peer): number[] {
  const pids = peer.pid === undefined ? launcherProcesses(process.ppid) : [peer.pid];
  return [...new Set([process.pid, ...pids])];
}

function launcherProcesses(launcher: number): number[] {
  if (launcher <= 1) return [];
  try {
    const children = readFileSync(`/proc/${launcher}/task/${launcher}/children`, 'latin1').trim().split(' ');
    return [launcher, ...children.filter((pid) => pid !== '').map(Number)];
  } catch {
    return [launcher];
  }
}
