/**
 * stewardctl verify: does the root side listen anywhere? Compares the descriptors of its processes with the kernel's tables of sockets
 * (proc(5), /proc/net). Must run as root.
 */
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '@steward/shared/errors.ts';
import type { Finding } from './verify-finding.ts';

/** `__SO_ACCEPTCON` of linux/net.h: a Unix socket that listens. */
const ACCEPTS = 0x10000;
/** TCP_LISTEN of net/tcp_states.h; a UDP socket receives as soon as it is bound. */
const TCP_LISTEN = '0A';

/** Inodes of the sockets that accept or receive from anybody, in the network namespace of a process; with their kind. */
function listening(root: string, pid: number): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const table of ['tcp', 'tcp6', 'udp', 'udp6', 'unix']) {
    for (const line of tableLines(root, pid, table)) {
      // tcp, udp: slot, local, remote, state, ... and the inode tenth. unix: slot, count, protocol, flags, type, state, inode.
      const [, , , state = '', , , seventh = '', , , tenth = ''] = line.trim().split(/\s+/);
      if (table === 'unix' && (parseInt(state, 16) & ACCEPTS) !== 0) found.set(seventh, table);
      if (table.startsWith('udp') || (table.startsWith('tcp') && state === TCP_LISTEN)) found.set(tenth, table);
    }
  }
  return found;
}

/** Without the heading; none where the kernel has no such protocol. */
function tableLines(root: string, pid: number, table: string): string[] {
  return (unlessGone(() => readFileSync(join(root, `/proc/${pid}/net/${table}`), 'utf8')) ?? '').trimEnd().split('\n').slice(1);
}

/** Inodes of the sockets that a process holds. */
function socketsOf(root: string, pid: number): string[] {
  const directory = join(root, `/proc/${pid}/fd`);
  return (unlessGone(() => readdirSync(directory)) ?? []).flatMap((fd) => {
    const target = unlessGone(() => readlinkSync(join(directory, fd))) ?? '';
    return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? [];
  });
}

/** Processes and descriptors end while they are looked at. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** No process of the broker's units holds a socket that listens. */
export function checkListening(root: string, pids: readonly number[]): Finding {
  const wrong = pids.flatMap((pid) => {
    const open = listening(root, pid);
    return socketsOf(root, pid).flatMap((inode) => {
      const kind = open.get(inode);
      return kind === undefined ? [] : [`process ${pid}: listens (${kind}, socket ${inode})`];
    });
  });
  return { holds: 'the root side listens nowhere: it has the one connection that systemd gave it', wrong };
}
