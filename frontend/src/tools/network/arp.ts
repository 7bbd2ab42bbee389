/** Catalogue entry: words and table of network/arp. */
import { networkArp } from '@steward/shared/ops/network/arp.ts';
import { table } from '../../render/columns.ts';
import { escapeName } from '../../render/names.ts';
import { tool } from '../tool.ts';

const HEADER = ['IP_ADDRESS', 'HW_TYPE', 'FLAGS', 'HW_ADDRESS', 'MASK', 'DEVICE'];

export const arpTool = tool({
  name: 'network/arp',
  title: 'ARP cache',
  description: 'Show the IPv4 ARP cache, optionally of one interface. Text table or JSON. Interfaces: network://interfaces.',
  op: networkArp,
  formats: true,
  human: false,
  text: ({ result }) => {
    const rows = result.map((entry) => [
      entry.ip_address,
      entry.hw_type,
      entry.flags,
      entry.hw_address,
      entry.mask,
      escapeName(entry.device),
    ]);
    return { text: table(HEADER, rows) };
  },
});
