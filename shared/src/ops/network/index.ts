/** The operations behind network tools and resources, tools in the order of the catalogue. Only connections may also run as root. */
import type { AnyOperation } from '../operation.ts';
import { networkArp } from './arp.ts';
import { networkConnections } from './connections.ts';
import { networkCurl } from './curl.ts';
import { networkInterfaces } from './interfaces.ts';
import { networkNslookup } from './nslookup.ts';
import { networkPing } from './ping.ts';
import { networkRoutes } from './routes.ts';
import { networkTracePath } from './trace-path.ts';

export const NETWORK_OPERATIONS: readonly AnyOperation[] = [
  networkNslookup,
  networkCurl,
  networkArp,
  networkPing,
  networkConnections,
  networkTracePath,
  // Behind resources.
  networkInterfaces,
  networkRoutes,
];
