/** The kernel's socket tables /proc/net/{tcp,tcp6,udp,udp6} (proc_net(5)). Public: owners of sockets are not in them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** One table in the kernel's order; a kernel without IPv6 has no tables for it. Blocks: for worker threads. Throws `read_system`. */
export function readSocketTable(root: string, netid: Netid): SocketEntry[] {
  const path = `/proc/net/${netid}`;
  try {
    const [, ...lines] = readFileSync(join(root, path), 'latin1').split('\n');
    // ten thousand sockets have few addresses
    const addressOf = remembering(netid.endsWith('6') ? ipv6FromKernel : ipv4FromKernel);
    return lines.flatMap((line) => parseSocket(netid, line, addressOf) ?? []);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' && netid.endsWith('6')) return [];
    throw systemError('read_system', { path }, error);
  }
}

/** `sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode ..`; undefined for what is no socket. */
function parseSocket(netid: Netid, line: string, addressOf: (hex: string) => string): SocketEntry | undefined {
  const [, local = '', peer = '', state = '', queues = '', , , uid, , inode] = line.split(' ').filter(Boolean);
  if (!isState(state)) return undefined;
  const [sendQueue = '', receiveQueue = ''] = queues.split(':');
  const [localAddress = '', localPort = ''] = local.split(':');
  const [peerAddress = '', peerPort = ''] = peer.split(':');
  return {
    netid,
    state: STATES[state],
    recv_q: parseInt(receiveQueue, 16),
    send_q: parseInt(sendQueue, 16),
    local_address: addressOf(localAddress),
    local_port: parseInt(localPort, 16),
    peer_address: addressOf(peerAddress),
    peer_port: parseInt(peerPort, 16),
    uid: Number(uid),
    inode: Number(inode),
  };
}

function isState(code: string): code is keyof typeof STATES {
  return Object.hasOwn(STATES, code);
}
