/**
 * TCP and UDP sockets of this host with the processes that hold them. The tables are public; the kernel shows descriptors of other
 * accounts' processes to root alone. Changes nothing.
 */
import { checkAbort } from '../../abort.ts';
import { listDescriptors, noteOwners, socketsBehind, type SocketOwner } from '../../host/socket-owners.ts';
import { statesNamed } from '../../host/socket-states.ts';
import {
  readSocketTable,
  SOCKET_STATES,
  SOCKET_TABLES,
  type Netid,
  type SocketState,
  type SocketStatus,
  type SocketTable,
} from '../../host/sockets.ts';
import type { Static } from '../../schema.ts';
import { workAhead } from '../../workers/ahead.ts';
import { helpInOrder } from '../../workers/in-order.ts';
import { MAY_SHARE, type Piece } from '../../workers/team.ts';
import { operation } from '../operation.ts';
import { inOrder } from './connection-order.ts';

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

/** One socket. */
export interface ConnectionRecord extends SocketStatus {
  readonly netid: Netid;
  readonly local_address: string;
  readonly local_port: number;
  readonly peer_address: string;
  readonly peer_port: number;
  readonly uid: number;
  /** 0 for a socket that belongs to no process any more. */
  readonly inode: number;
  readonly processes?: readonly SocketOwner[];
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
    const look = (): void => checkAbort(context.signal);
    const { root } = context;
    // begun first: the kernel looks through its tables while descriptors are listed; a socket that is made later has no owner yet
    const reading = Promise.all(SOCKET_TABLES.map((netid) => readSocketTable(root, netid)));
    const pieces = listDescriptors(root, context.guard, () => context.signal.aborted);
    const choose = async (): Promise<readonly Chosen[]> => {
      const tables = await reading;
      look();
      return tables.map((table) => ({ table, sockets: inOrder(table, chosenOf(table, states, port)) }));
    };
    const work = (piece: Piece): Float64Array => socketsBehind(root, piece);
    const { own: chosen, parts } = await workAhead(pieces, work, look, MAY_SHARE ? context.team : undefined, choose);
    look();
    const owners = parts.some(isAnySocket) ? ownersOf(chosen) : undefined;
    const processes = owners !== undefined && noteOwners(root, pieces, parts, owners);
    for (const { table, sockets } of chosen) {
      for (let at = 0; at < sockets.length; at += AT_A_TIME) {
        const sent = context.emitLines(linesOf(table, sockets.slice(at, at + AT_A_TIME), processes ? owners : undefined));
        if (sent !== undefined) await sent;
      }
    }
    return { processes };
  },
  async assist(_, context, team) {
    try {
      const look = (): void => checkAbort(context.signal);
      await helpInOrder(team, (piece) => socketsBehind(context.root, piece), look);
    } finally {
      team.close();
    }
  },
});

/** Sockets of a table by their numbers in it, in the order in which they are told. */
interface Chosen {
  readonly table: SocketTable;
  readonly sockets: readonly number[];
}

/** Owners of these sockets by inode, as JSON; none known yet. */
type Owners = Map<number, string>;

function isAnySocket(inodes: Float64Array): boolean {
  return inodes.some((inode) => inode > 0);
}

function ownersOf(chosen: readonly Chosen[]): Owners {
  const owners: Owners = new Map();
  for (const { table, sockets } of chosen) for (const socket of sockets) owners.set(table.inodes[socket] ?? 0, '');
  owners.delete(0);
  return owners;
}

/** The numbers of those sockets of a table that are asked for. */
function chosenOf(table: SocketTable, states: ReadonlySet<SocketState>, port: number): readonly number[] {
  const { statuses, localPorts, peerPorts } = table;
  const all = [...statuses.keys()];
  if (states.size === SOCKET_STATES.length && port === 0) return all;
  return all.filter((socket) => {
    const status = statuses[socket];
    if (status === undefined || !states.has(status.state)) return false;
    return port === 0 || localPorts[socket] === port || peerPorts[socket] === port;
  });
}

/**
 * Sockets of a table as JSON lines, each a `ConnectionRecord`. Put together as text, which takes less than an object for each: only
 * names of processes need to be escaped. Mostly a socket says what the one before it said.
 */
function linesOf(table: SocketTable, sockets: readonly number[], owners: Owners | undefined): string {
  const { addresses, statuses, localAddresses, localPorts, peerAddresses, peerPorts, uids, inodes } = table;
  let [status, local, peer, uid]: [SocketStatus?, number?, number?, number?] = [];
  let [begin, middle, end] = ['', '', ''];
  let lines = '';
  for (const socket of sockets) {
    if (statuses[socket] !== status || localAddresses[socket] !== local) {
      status = statuses[socket];
      local = localAddresses[socket];
      begin = `${beginning(table.netid, status)},"local_address":"${addresses[local ?? 0] ?? ''}","local_port":`;
    }
    if (peerAddresses[socket] !== peer) {
      peer = peerAddresses[socket];
      middle = `,"peer_address":"${addresses[peer ?? 0] ?? ''}","peer_port":`;
    }
    if (uids[socket] !== uid) {
      uid = uids[socket];
      end = `,"uid":${uid ?? 0},"inode":`;
    }
    const inode = inodes[socket] ?? 0;
    const processes = owners === undefined ? '' : processesOf(owners.get(inode));
    lines += `${begin}${localPorts[socket] ?? 0}${middle}${peerPorts[socket] ?? 0}${end}${inode}${processes}}\n`;
  }
  return lines;
}

function processesOf(owners: string | undefined): string {
  return owners === undefined || owners === '' ? '' : `,"processes":[${owners}]`;
}

/** The members of a record that come first, without the brace that ends it. */
function beginning(netid: Netid, status: SocketStatus | undefined): string {
  return JSON.stringify({ netid, state: status?.state, recv_q: status?.recv_q, send_q: status?.send_q }).slice(0, -1);
}
