/** The kernel's socket tables /proc/net/{tcp,tcp6,udp,udp6} (proc_net(5)). Public: owners of sockets are not in them. */
import { closeSync, openSync, read, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf, systemError } from '../errors.ts';
import { remembering } from '../remember.ts';
import { ipv4FromKernel, ipv6FromKernel } from './addresses.ts';

export const SOCKET_TABLES = ['tcp', 'tcp6', 'udp', 'udp6'] as const;
export type Netid = (typeof SOCKET_TABLES)[number];

/** Names of the kernel's states (include/net/tcp_states.h) as ss(8) writes them. */
const STATES = {
  '01': 'ESTAB',
  '02': 'SYN-SENT',
  '03': 'SYN-RECV',
  '04': 'FIN-WAIT-1',
  '05': 'FIN-WAIT-2',
  '06': 'TIME-WAIT',
  '07': 'UNCONN',
  '08': 'CLOSE-WAIT',
  '09': 'LAST-ACK',
  '0A': 'LISTEN',
  '0B': 'CLOSING',
  '0C': 'SYN-RECV', // a connection request that has no socket yet
} as const;
export type SocketState = (typeof STATES)[keyof typeof STATES];
export const SOCKET_STATES: readonly SocketState[] = [...new Set(Object.values(STATES))];

export interface SocketEntry {
  readonly netid: Netid;
  readonly state: SocketState;
  readonly recv_q: number;
  readonly send_q: number;
  readonly local_address: string;
  readonly local_port: number;
  readonly peer_address: string;
  readonly peer_port: number;
  readonly uid: number;
  /** 0 for a socket that belongs to no process any more. */
  readonly inode: number;
}

/** Bytes asked for at first; the kernel gives one page of text at a time. */
const FIRST_BYTES = 4096;

const readFirst = promisify(read);

/**
 * One table in the kernel's order; a kernel without IPv6 has no tables for it. Ask for several at once: the beginning of each is read
 * beside this thread, because the kernel goes through all of its buckets (milliseconds) however few sockets are in them. The rest
 * blocks: for worker threads. Rejects with `read_system`.
 */
export async function readSocketTable(root: string, netid: Netid): Promise<SocketEntry[]> {
  const path = `/proc/net/${netid}`;
  try {
    return parseSocketTable(netid, await readTable(join(root, path)));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' && netid.endsWith('6')) return [];
    throw systemError('read_system', { path }, error);
  }
}

async function readTable(path: string): Promise<string> {
  const fd = openSync(path, 'r');
  try {
    const { bytesRead, buffer } = await readFirst(fd, Buffer.allocUnsafe(FIRST_BYTES), 0, FIRST_BYTES, null);
    // the one text of which Node reads many small pieces without a call of ours for each
    const rest = bytesRead === 0 ? '' : readFileSync(fd, 'utf8');
    return buffer.toString('latin1', 0, bytesRead) + rest;
  } finally {
    closeSync(fd);
  }
}

/** Digits of an address, and where what follows it stands behind it. */
const V4_DIGITS = 8;
const V6_DIGITS = 32;
/** Digits of each of the two queues, and of the inode at most. */
const QUEUE_DIGITS = 8;
const INODE_DIGITS = 20;
/** `st tx_queue:rx_queue`, and `tr:tm->when retrnsmt` with the blank before it, behind which the uid stands. */
const STATE_LENGTH = '01 00000000:00000000'.length;
const TIMER_LENGTH = ' 00:00000000 00000000'.length;
/** `uid timeout` and the blank before the inode; the first two padded to the left. */
const UID_AND_TIMEOUT = / +(\d+) +\d+ (?=\d)/y;

/** Parts of a line that mostly are those of a line before. */
type State = Pick<SocketEntry, 'state' | 'recv_q' | 'send_q'> & { readonly text: string };
interface Holder {
  readonly text: string;
  readonly uid: number;
}

/**
 * The lines `sl: local:port rem:port st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode ..` behind the head: up to the uid
 * all parts are of fixed length. A line of another form is no socket.
 */
export function parseSocketTable(netid: Netid, text: string): SocketEntry[] {
  const isV6 = netid.endsWith('6');
  const digits = isV6 ? V6_DIGITS : V4_DIGITS;
  // ten thousand sockets have few addresses
  const addressOf = remembering(isV6 ? ipv6FromKernel : ipv4FromKernel);
  const entries: SocketEntry[] = [];
  let status: State | undefined;
  let holder: Holder | undefined;
  for (const line of text.split('\n')) {
    const local = line.indexOf(': ') + 2;
    const peer = local + digits + 6;
    const at = peer + digits + 6;
    const behind = at + STATE_LENGTH + TIMER_LENGTH;
    if (status === undefined || !line.startsWith(status.text, at)) status = parseState(line, at);
    if (holder === undefined || !line.startsWith(holder.text, behind)) holder = parseHolder(line, behind);
    if (status === undefined || holder === undefined) continue;
    const end = behind + holder.text.length;
    entries.push({
      netid,
      state: status.state,
      recv_q: status.recv_q,
      send_q: status.send_q,
      local_address: addressOf(line.slice(local, local + digits)),
      local_port: parseInt(line.slice(local + digits + 1, peer - 1), 16),
      peer_address: addressOf(line.slice(peer, peer + digits)),
      peer_port: parseInt(line.slice(peer + digits + 1, at - 1), 16),
      uid: holder.uid,
      inode: parseInt(line.slice(end, end + INODE_DIGITS), 10),
    });
  }
  return entries;
}

function parseState(line: string, at: number): State | undefined {
  const code = line.slice(at, at + 2);
  if (!isState(code)) return undefined;
  const queues = at + 3;
  return {
    text: line.slice(at, at + STATE_LENGTH),
    state: STATES[code],
    send_q: parseInt(line.slice(queues, queues + QUEUE_DIGITS), 16),
    recv_q: parseInt(line.slice(queues + QUEUE_DIGITS + 1, queues + 2 * QUEUE_DIGITS + 1), 16),
  };
}

function parseHolder(line: string, at: number): Holder | undefined {
  UID_AND_TIMEOUT.lastIndex = at;
  const found = UID_AND_TIMEOUT.exec(line);
  return found === null ? undefined : { text: found[0], uid: Number(found[1]) };
}

function isState(code: string): code is keyof typeof STATES {
  return Object.hasOwn(STATES, code);
}
