/** The names under which callers may ask for connection states. */
import { StewardError } from '../errors.ts';
import { SOCKET_STATES, type SocketState } from './sockets.ts';

const CONNECTED = SOCKET_STATES.filter((state) => state !== 'LISTEN' && state !== 'UNCONN');

/** As ss(8) groups them; a UDP socket without a peer waits for datagrams as a listening one does. */
const NAMES: Readonly<Record<string, readonly SocketState[]>> = {
  listen: ['LISTEN', 'UNCONN'],
  listening: ['LISTEN', 'UNCONN'],
  established: ['ESTAB'],
  estab: ['ESTAB'],
  'time-wait': ['TIME-WAIT'],
  'close-wait': ['CLOSE-WAIT'],
  'syn-sent': ['SYN-SENT'],
  'syn-recv': ['SYN-RECV'],
  'fin-wait-1': ['FIN-WAIT-1'],
  'fin-wait-2': ['FIN-WAIT-2'],
  'last-ack': ['LAST-ACK'],
  closing: ['CLOSING'],
  closed: ['UNCONN'],
  close: ['UNCONN'],
  unconn: ['UNCONN'],
  connected: CONNECTED,
  synchronized: CONNECTED.filter((state) => state !== 'SYN-SENT'),
  all: SOCKET_STATES,
};

/** The states that a name means, in any case and with `_` for `-`. Throws `connection_state`. */
export function statesNamed(name: string): ReadonlySet<SocketState> {
  const key = name.toLowerCase().replaceAll('_', '-');
  const states = Object.hasOwn(NAMES, key) ? NAMES[key] : undefined;
  if (states === undefined) throw new StewardError('connection_state', { state: name, valid: Object.keys(NAMES).join(', ') });
  return new Set(states);
}
