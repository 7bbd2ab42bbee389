/** The kernel's socket tables /proc/net/{tcp,tcp6,udp,udp6} (proc_net(5)). Public: owners of sockets are not in them. */
import { closeSync, openSync, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { errnoOf, systemError } from '../errors.ts';
import { ipv4FromKernel, ipv6FromKernel } from './addresses.ts';
import { below } from './procfs.ts';

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

/** What mostly many sockets have in common. Queues in bytes (connections that wait, for a listening socket). */
export interface SocketStatus {
  readonly state: SocketState;
  readonly recv_q: number;
  readonly send_q: number;
}

/**
 * The sockets of a table, column by column: an object for each of ten thousand would be copied by several collections before it is
 * told. Addresses are places in `addresses`.
 */
export class SocketTable {
  readonly netid: Netid;
  readonly addresses: readonly string[];
  readonly statuses: SocketStatus[] = [];
  readonly localAddresses: number[] = [];
  readonly localPorts: number[] = [];
  readonly peerAddresses: number[] = [];
  readonly peerPorts: number[] = [];
  readonly uids: number[] = [];
  /** 0 for a socket that belongs to no process any more. */
  readonly inodes: number[] = [];

  constructor(netid: Netid, addresses: readonly string[] = []) {
    this.netid = netid;
    this.addresses = addresses;
  }
}

/** The kernel gives one page of text at a time. */
const PAGE = 4096;
/** More than any line has. */
const LINE = 512;
/** Bytes that become text together: the whole of a long table would outlive collections of young objects. */
const PIECE = 16 * PAGE;
const NEWLINE = 0x0a;

const readFirst = promisify(read);

/**
 * One table in the kernel's order; a kernel without IPv6 has no tables for it. Ask for several at once: the beginning of each is read
 * beside this thread, because the kernel goes through all of its buckets (milliseconds) however few sockets are in them. The rest
 * blocks: for worker threads. Rejects with `read_system`.
 */
export async function readSocketTable(root: string, netid: Netid): Promise<SocketTable> {
  const path = `/proc/net/${netid}`;
  try {
    const parser = new TableParser(netid);
    await readTable(below(root, path), parser);
    return parser.table;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' && netid.endsWith('6')) return new SocketTable(netid);
    throw systemError('read_system', { path }, error);
  }
}

async function readTable(path: string, parser: TableParser): Promise<void> {
  const fd = openSync(path, 'r');
  try {
    const { bytesRead, buffer } = await readFirst(fd, Buffer.allocUnsafe(PAGE), 0, PAGE, null);
    const first = buffer.subarray(0, bytesRead);
    if (isLast(bytesRead)) parser.take(first.toString('latin1'));
    else readRest(fd, first, parser);
  } finally {
    closeSync(fd);
  }
}

function readRest(fd: number, first: Buffer, parser: TableParser): void {
  const buffer = Buffer.allocUnsafe(PIECE);
  for (let at = first.copy(buffer); ;) {
    const count = readSync(fd, buffer, at, PAGE, null);
    at += count;
    if (isLast(count)) return parser.take(buffer.toString('latin1', 0, at));
    if (at + PAGE <= PIECE) continue;
    // where pages are larger, a read may end in the middle of a line
    const end = buffer.lastIndexOf(NEWLINE, at - 1) + 1 || at;
    parser.take(buffer.toString('latin1', 0, end));
    buffer.copyWithin(0, end, at);
    at -= end;
  }
}

/**
 * Whether so many bytes were the last: the kernel fills a page as long as there are lines (seq_file). To be told so by it costs a search
 * of all buckets once more.
 */
function isLast(count: number): boolean {
  return count < PAGE - LINE;
}

/** Digits of an address, and where what follows it stands behind it. */
const V4_DIGITS = 8;
const V6_DIGITS = 32;
/** Digits of the inode at most. */
const INODE_DIGITS = 20;
/** `st tx_queue:rx_queue`, and `tr:tm->when retrnsmt` with the blank before it, behind which the uid stands. */
const STATE_LENGTH = '01 00000000:00000000'.length;
const TIMER_LENGTH = ' 00:00000000 00000000'.length;
/** `uid timeout` and the blank before the inode; the first two padded to the left. */
const UID_AND_TIMEOUT = / +(\d+) +\d+ (?=\d)/y;

/** Parts of a line that mostly are those of a line before. */
interface Status extends SocketStatus {
  readonly text: string;
}
interface Holder {
  readonly text: string;
  readonly uid: number;
}

/** Parses a table piece by piece. */
export class TableParser {
  readonly table: SocketTable;
  readonly #digits: number;
  readonly #addresses: Addresses;
  readonly #statuses = new Map<string, Status>();

  constructor(netid: Netid) {
    const isV6 = netid.endsWith('6');
    this.#digits = isV6 ? V6_DIGITS : V4_DIGITS;
    this.#addresses = new Addresses(isV6 ? ipv6FromKernel : ipv4FromKernel);
    this.table = new SocketTable(netid, this.#addresses.texts);
  }

  /**
   * Takes whole lines `sl: local:port rem:port st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode ..`, the head among them: up
   * to the uid all parts are of fixed length. A line of another form is no socket.
   */
  take(text: string): void {
    const [digits, addresses, known] = [this.#digits, this.#addresses, this.#statuses];
    const { statuses, localAddresses, localPorts, peerAddresses, peerPorts, uids, inodes } = this.table;
    let count = statuses.length;
    let status: Status | undefined;
    let holder: Holder | undefined;
    let [localText, localAddress] = [NO_TEXT, 0];
    let [peerText, peerAddress] = [NO_TEXT, 0];
    for (const line of text.split('\n')) {
      const local = line.indexOf(': ') + 2;
      const peer = local + digits + 6;
      const at = peer + digits + 6;
      const behind = at + STATE_LENGTH + TIMER_LENGTH;
      if (status === undefined || !line.startsWith(status.text, at)) status = statusAt(line, at, known);
      if (holder === undefined || !line.startsWith(holder.text, behind)) holder = parseHolder(line, behind);
      if (status === undefined || holder === undefined) continue;
      if (!line.startsWith(localText, local)) {
        localText = line.slice(local, local + digits);
        localAddress = addresses.numberOf(localText);
      }
      if (!line.startsWith(peerText, peer)) {
        peerText = line.slice(peer, peer + digits);
        peerAddress = addresses.numberOf(peerText);
      }
      const end = behind + holder.text.length;
      const localPort = parseInt(line.slice(local + digits + 1, peer - 1), 16);
      const peerPort = parseInt(line.slice(peer + digits + 1, at - 1), 16);
      const inode = parseInt(line.slice(end, end + INODE_DIGITS), 10);
      if (!(localPort >= 0 && peerPort >= 0 && inode >= 0)) continue;
      statuses[count] = status;
      localAddresses[count] = localAddress;
      localPorts[count] = localPort;
      peerAddresses[count] = peerAddress;
      peerPorts[count] = peerPort;
      uids[count] = holder.uid;
      inodes[count] = inode;
      count++;
    }
  }
}

/** Begins no part of any line. */
const NO_TEXT = ' ';

/** Ten thousand sockets have few addresses: each is worded once. */
class Addresses {
  readonly texts: string[] = [];
  readonly #word: (hex: string) => string;
  readonly #known = new Map<string, number>();

  constructor(word: (hex: string) => string) {
    this.#word = word;
  }

  numberOf(hex: string): number {
    let number = this.#known.get(hex);
    if (number === undefined) {
      number = this.texts.push(this.#word(hex)) - 1;
      this.#known.set(hex, number);
    }
    return number;
  }
}

/** The same object for the same text. */
function statusAt(line: string, at: number, known: Map<string, Status>): Status | undefined {
  const text = line.slice(at, at + STATE_LENGTH);
  const before = known.get(text);
  if (before !== undefined) return before;
  const code = text.slice(0, 2);
  if (!isState(code)) return undefined;
  const [sent = '', received = ''] = text.slice(3).split(':');
  const status = { text, state: STATES[code], recv_q: parseInt(received, 16), send_q: parseInt(sent, 16) };
  known.set(text, status);
  return status;
}

function parseHolder(line: string, at: number): Holder | undefined {
  UID_AND_TIMEOUT.lastIndex = at;
  const found = UID_AND_TIMEOUT.exec(line);
  return found === null ? undefined : { text: found[0], uid: Number(found[1]) };
}

function isState(code: string): code is keyof typeof STATES {
  return Object.hasOwn(STATES, code);
}
