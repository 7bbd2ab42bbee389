/** The kernel's ARP cache (arp(7), /proc/net/arp), of one interface or of all. Public; IPv4 only, as the file is. */
import { readSystem } from '../../host/procfs.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: { interface: { type: 'string' } },
  required: [],
  additionalProperties: false,
} as const;

const word = { type: 'string' } as const;
const result = {
  type: 'array',
  items: {
    type: 'object',
    properties: { ip_address: word, hw_type: word, flags: word, hw_address: word, mask: word, device: word },
    required: ['ip_address', 'hw_type', 'flags', 'hw_address', 'mask', 'device'],
    additionalProperties: false,
  },
} as const;

/** One entry; `hw_type` and `flags` in hexadecimal as the kernel writes them. */
export type ArpEntry = Static<typeof result>[number];

export const networkArp = operation<Static<typeof args>, ArpEntry[]>({
  name: 'network/arp',
  args,
  kind: 'value',
  result,
  where: 'loop',
  async run({ interface: wanted }, context) {
    const [, ...lines] = (await readSystem(context.root, '/proc/net/arp')).split('\n');
    return lines.flatMap(parseLine).filter(({ device }) => wanted === undefined || device === wanted);
  },
});

/** The device comes last, so that a name with blanks in it stays whole. */
function parseLine(line: string): ArpEntry[] {
  const fields = /^(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S.*)$/.exec(line);
  if (fields === null) return [];
  const [ip_address, hw_type, flags, hw_address, mask, device] = fields.slice(1) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  return [{ ip_address, hw_type, flags, hw_address, mask, device }];
}
