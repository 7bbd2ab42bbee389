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
    for (const socket of chosen) {
      const processes = owners.size === 0 ? undefined : owners.get(socket.inode);
      const sent = context.emit(processes === undefined ? socket : { ...socket, processes });
      if (sent !== undefined) await sent;
    }
    return { processes: owners.size > 0 };
  },
});

/**
 * The sockets of one table by local port and address, then by peer, so that two answers can be compared. What is compared is made a
 * number, and numbers are sorted by the engine itself: calling a function for every comparison takes several times as long.
 */
function inOrder(sockets: readonly SocketEntry[]): SocketEntry[] {
  const places = placesOf(sockets);
  const byLocal = grouped(sockets, (one) => one.local_port * places.size + (places.get(one.local_address) ?? 0));
  const byPeer = (one: SocketEntry): number => one.peer_port * places.size + (places.get(one.peer_address) ?? 0);
  const ordered: SocketEntry[] = [];
  for (const alike of byLocal) {
    const first = alike[0];
    if (first !== undefined && alike.length === 1) ordered.push(first);
    else for (const same of grouped(alike, byPeer)) ordered.push(...same.sort((a, b) => a.inode - b.inode));
  }
  return ordered;
}

/** Addresses with their places in the order of their texts. */
function placesOf(sockets: readonly SocketEntry[]): ReadonlyMap<string, number> {
  const addresses = new Set<string>();
  for (const { local_address, peer_address } of sockets) addresses.add(local_address).add(peer_address);
  return new Map([...addresses].sort().map((address, place) => [address, place]));
}

/** Those with the same number together, in order of the numbers. */
function grouped(sockets: readonly SocketEntry[], numberOf: (socket: SocketEntry) => number): SocketEntry[][] {
  const groups = new Map<number, SocketEntry[]>();
  for (const socket of sockets) {
    const number = numberOf(socket);
    const group = groups.get(number);
    if (group === undefined) groups.set(number, [socket]);
    else group.push(socket);
  }
  return Array.from(Float64Array.from(groups.keys()).sort(), (number) => groups.get(number) ?? []);
}
