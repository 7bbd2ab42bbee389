/** Catalogue entry: words and table of network/connections. */
import { networkConnections, type ConnectionRecord } from '@steward/shared/ops/network/connections.ts';
import { remembering } from '@steward/shared/remember.ts';
import type { Cells } from '../../render/columns.ts';
import { escapeName } from '../../render/names.ts';
import { tableText } from '../../render/record-table.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

type Args = Parameters<typeof networkConnections.run>[0];
type Summary = Awaited<ReturnType<typeof networkConnections.run>>;

const HEADER = [
  ...['NETID', 'STATE', 'RECV_Q', 'SEND_Q', 'LOCAL_ADDRESS', 'LOCAL_PORT'],
  ...['PEER_ADDRESS', 'PEER_PORT', 'UID', 'INODE'],
  // only where the processes of some socket are known
  'PROCESS',
];

export const connectionsTool = tool({
  name: 'network/connections',
  title: 'List sockets',
  description:
    'List TCP and UDP sockets, filter by state and port. Owning processes of other users appear only with privileged: true. Text table or JSON.',
  op: networkConnections,
  formats: true,
  human: false,
  ...tableText<Args, Summary, ConnectionRecord>(
    () => ({ header: HEADER, cells: cellsWith() }),
    ({ processes }, lines) => ({ text: joinLines(lines(processes ? HEADER.length : HEADER.length - 1)) }),
  ),
});

function cellsWith(): (socket: ConnectionRecord) => Cells {
  // a process has many sockets
  const shown = remembering(escapeName);
  return (socket) => {
    const cells = [
      socket.netid,
      socket.state,
      `${socket.recv_q}`,
      `${socket.send_q}`,
      socket.local_address,
      `${socket.local_port}`,
      socket.peer_address,
      `${socket.peer_port}`,
      `${socket.uid}`,
      `${socket.inode}`,
    ];
    if (socket.processes !== undefined) cells.push(processText(socket.processes, shown));
    return cells;
  };
}

function processText(processes: NonNullable<ConnectionRecord['processes']>, shown: (name: string) => string): string {
  let text = '';
  for (const { name, pid, fd } of processes) text += `${text === '' ? '' : ','}${shown(name)}(pid=${pid},fd=${fd})`;
  return text;
}
