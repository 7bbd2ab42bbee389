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
    const chosen = inOrder(
      SOCKET_TABLES.flatMap((netid) => readSocketTable(context.root, netid)).filter(
        (socket) => states.has(socket.state) && (port === 0 || socket.local_port === port || socket.peer_port === port),
      ),
    );
    const inodes = new Set(chosen.map(({ inode }) => inode).filter((inode) => inode !== 0));
    const owners = findSocketOwners(context.root, inodes, context.guard, () => context.signal.aborted);
    checkAbort(context.signal);
    for (const socket of chosen) {
      const processes = owners.get(socket.inode);
      const sent = context.emit(processes === undefined ? socket : { ...socket, processes });
      if (sent !== undefined) await sent;
    }
    return { processes: owners.size > 0 };
  },
});

/**
 * By table, local port and address, then by peer, so that two answers can be compared. Keys are made once and compared by the engine
 * itself: calling a function for every comparison takes several times as long.
 */
function inOrder(sockets: readonly SocketEntry[]): SocketEntry[] {
  const keys = sockets.map((socket, index) => `${keyOf(socket)}${END}${index}`).sort();
  return keys.flatMap((key) => sockets[Number(key.slice(key.lastIndexOf(END) + 1))] ?? []);
}

/** Sorts before every character of an address. */
const END = '\0';

function keyOf({ netid, local_port, local_address, peer_port, peer_address, inode }: SocketEntry): string {
  const local = `${padded(local_port)}${local_address}${END}`;
  return `${SOCKET_TABLES.indexOf(netid)}${local}${padded(peer_port)}${peer_address}${END}${padded(inode)}`;
}

/** Digits of the largest inode number that a number holds exactly. */
const padded = (value: number): string => String(value).padStart(16, '0');
