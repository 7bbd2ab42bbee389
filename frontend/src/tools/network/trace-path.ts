/** Catalogue entry: words of network/trace-path. Text only: what the program printed. */
import { networkTracePath } from '@steward/shared/ops/network/trace-path.ts';
import { tool } from '../tool.ts';

export const tracePathTool = tool({
  name: 'network/trace-path',
  title: 'Trace network path',
  description:
    'Trace the route to a host with the external traceroute program (must be installed). Raw text; silent hops show * * *. Reachability: network/ping.',
  op: networkTracePath,
  formats: false,
  human: false,
  text: ({ result }) => ({ text: result }),
});
