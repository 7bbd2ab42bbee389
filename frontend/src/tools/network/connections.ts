/** Catalogue entry: words and table of network/connections. */
import { networkConnections, type ConnectionRecord } from '@steward/shared/ops/network/connections.ts';
import { mapped } from '../../render/batches.ts';
import { tableLines, type Cells } from '../../render/columns.ts';
import { escapeName } from '../../render/names.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

const HEADER = [
  ...['NETID', 'STATE', 'RECV_Q', 'SEND_Q', 'LOCAL_ADDRESS', 'LOCAL_PORT'],
  ...['PEER_ADDRESS', 'PEER_PORT', 'UID', 'INODE'],
];

export const connectionsTool = tool({
  name: 'network/connections',
  title: 'List sockets',
  description:
    'List TCP and UDP sockets, filter by state and port. Owning processes of other users appear only with privileged: true. Text table or JSON.',
  op: networkConnections,
  formats: true,
  human: false,
  text: (outcome) => {
    const { processes } = outcome.result;
    const header = processes ? [...HEADER, 'PROCESS'] : HEADER;
    const cells = processes ? (socket: ConnectionRecord): Cells => [...cellsOf(socket), processText(socket)] : cellsOf;
    return { text: joinLines(tableLines(header, () => mapped(outcome.records(), cells))) };
  },
});

function cellsOf(socket: ConnectionRecord): string[] {
  return [
    socket.netid,
    socket.state,
    String(socket.recv_q),
    String(socket.send_q),
    socket.local_address,
    String(socket.local_port),
    socket.peer_address,
    String(socket.peer_port),
    String(socket.uid),
    String(socket.inode),
  ];
}

function processText({ processes = [] }: ConnectionRecord): string {
  return processes.map(({ name, pid, fd }) => `${escapeName(name)}(pid=${String(pid)},fd=${String(fd)})`).join(',');
}
