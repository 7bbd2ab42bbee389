/**
 * TCP and UDP sockets of this host with the processes that hold them. The tables are public; the kernel shows descriptors of other
 * accounts' processes to root alone. Changes nothing.
 */
import { checkAbort } from '../../abort.ts';
import { findSocketOwners } from '../../host/socket-owners.ts';
import { statesNamed } from '../../host/socket-states.ts';
import { readSocketTable, SOCKET_STATES, SOCKET_TABLES, type SocketEntry } from '../../host/sockets.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: {
    state: { type: 'string', description: 'LISTEN, ESTABLISHED, connected, ...' },
    port: { type: 'integer', minimum: 0, description: 'local or peer; 0=none' },
  },
  required: [],
  additionalProperties: false,
} as const;

const count = { type: 'integer', minimum: 0 } as const;
const record = {
  type: 'object',
  properties: {
    netid: { type: 'string', enum: SOCKET_TABLES },
    state: { type: 'string', enum: SOCKET_STATES },
    recv_q: count,
    send_q: count,
    local_address: { type: 'string' },
    local_port: count,
    peer_address: { type: 'string' },
    peer_port: count,
    uid: count,
    inode: count,
    processes: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, pid: count, fd: count },
        required: ['name', 'pid', 'fd'],
        additionalProperties: false,
      },
    },
  },
  // prettier-ignore
  required: ['netid', 'state', 'recv_q', 'send_q', 'local_address', 'local_port', 'peer_address', 'peer_port', 'uid', 'inode'],
  additionalProperties: false,
} as const;

const result = {
  type: 'object',
  properties: {
    /** Whether any socket's processes are known. */
    processes: { type: 'boolean' },
  },
  required: ['processes'],
  additionalProperties: false,
} as const;

/** Records made without a pause. */
const AT_A_TIME = 512;

/** One socket; queues in bytes (connections that wait, for a listening one). */
export interface ConnectionRecord extends SocketEntry {
  readonly processes?: readonly { readonly name: string; readonly pid: number; readonly fd: number }[];
}

export const networkConnections = operation<Static<typeof args>, Static<typeof result>, ConnectionRecord>({
  name: 'network/connections',
  args,
  kind: 'records',
  result,
  record,
  where: 'worker',
  async run({ state = 'all', port = 0 }, context) {
    const states = statesNamed(state);
    const isChosen = ({ state: of, local_port, peer_port }: SocketEntry): boolean =>
      states.has(of) && (port === 0 || local_port === port || peer_port === port);
    const all = states.size === SOCKET_STATES.length && port === 0;
    const tables = await Promise.all(SOCKET_TABLES.map((netid) => readSocketTable(context.root, netid)));
    const chosen = tables.flatMap((sockets) => inOrder(all ? sockets : sockets.filter(isChosen)));
    const inodes = new Set(chosen.map(({ inode }) => inode));
    inodes.delete(0);
    const owners = findSocketOwners(context.root, inodes, context.guard, () => context.signal.aborted);
    checkAbort(context.signal);
    for (let at = 0; at < chosen.length; at += AT_A_TIME) {
      const sent = context.emitLines(linesOf(chosen.slice(at, at + AT_A_TIME), owners));
      if (sent !== undefined) await sent;
    }
    return { processes: owners.size > 0 };
  },
});

/** Records as JSON lines. Where no processes are known the engine writes many at once: no value holds a brace. */
function linesOf(
  sockets: readonly SocketEntry[],
  owners: ReadonlyMap<number, NonNullable<ConnectionRecord['processes']>>,
): string {
  if (owners.size === 0) return `${JSON.stringify(sockets).slice(1, -1).replaceAll('},{', '}\n{')}\n`;
  let lines = '';
  for (const socket of sockets) {
    const processes = owners.get(socket.inode);
    const record: ConnectionRecord = processes === undefined ? socket : { ...socket, processes };
    lines += `${JSON.stringify(record)}\n`;
  }
  return lines;
}

/** The sockets of one table by local port and address, then by peer, so that two answers can be compared. */
function inOrder(sockets: readonly SocketEntry[]): readonly SocketEntry[] {
  const places = placesOf(sockets);
  return ordered(sockets, [
    (one) => one.local_port,
    (one) => places.get(one.local_address) ?? 0,
    (one) => one.peer_port,
    (one) => places.get(one.peer_address) ?? 0,
  ]);
}

/** Addresses with their places in the order of their texts. */
function placesOf(sockets: readonly SocketEntry[]): ReadonlyMap<string, number> {
  const addresses = new Set<string>();
  for (const { local_address, peer_address } of sockets) addresses.add(local_address).add(peer_address);
  return new Map([...addresses].sort().map((address, place) => [address, place]));
}

/**
 * Ordered by these small numbers, each of which decides where those before it are the same, and last by inode. Numbers are sorted by
 * the engine itself, with the place of their socket in the same number: calling a function for every comparison takes several times as
 * long.
 */
function ordered(
  sockets: readonly SocketEntry[],
  [numberOf, ...rest]: readonly ((socket: SocketEntry) => number)[],
): readonly SocketEntry[] {
  if (numberOf === undefined) return sockets.toSorted((a, b) => a.inode - b.inode);
  const count = sockets.length;
  const keys = new Float64Array(count);
  for (let at = 0; at < count; at++) keys[at] = numberOf(sockets[at] as SocketEntry) * count + at;
  keys.sort();
  const all: SocketEntry[] = [];
  for (let at = 0; at < count;) {
    const alike = runFrom(sockets, keys, at);
    if (alike.length === 1) all.push(alike[0] as SocketEntry);
    else for (const one of ordered(alike, rest)) all.push(one);
    at += alike.length;
  }
  return all;
}

/** The sockets whose keys, from this one on, hold the same number. */
function runFrom(sockets: readonly SocketEntry[], keys: Float64Array, from: number): readonly SocketEntry[] {
  const count = sockets.length;
  const base = Math.floor((keys[from] ?? 0) / count) * count;
  const alike: SocketEntry[] = [];
  for (let at = from; at < count; at++) {
    const place = (keys[at] ?? 0) - base;
    if (place >= count) break;
    alike.push(sockets[place] as SocketEntry);
  }
  return alike;
}
