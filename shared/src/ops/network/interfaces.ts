/** Behind `network://interfaces`: all network interfaces with addresses and counters, or the one of a name. Public. */
import { StewardError } from '../../errors.ts';
import { readInterfaces, type NetworkInterface } from '../../host/interfaces.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: { name: { type: 'string' } },
  required: [],
  additionalProperties: false,
} as const;

const text = { type: 'string' } as const;
const number = { type: 'integer', minimum: 0 } as const;
const counters = [
  ...['rx_bytes', 'rx_dropped', 'rx_errors', 'rx_packets'],
  ...['tx_bytes', 'tx_dropped', 'tx_errors', 'tx_packets'],
];

/** With `name` at most one; throws `interface_not_found` when it is none. */
export const networkInterfaces = operation<Static<typeof args>, NetworkInterface[]>({
  name: 'resource/network-interfaces',
  args,
  kind: 'value',
  result: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        name: text,
        index: number,
        mac: text,
        mtu: number,
        flags: text,
        addresses: { anyOf: [{ type: 'array', items: text }, { type: 'null' }] },
        statistics: {
          type: 'object',
          properties: Object.fromEntries(counters.map((counter) => [counter, number])),
          required: counters,
          additionalProperties: false,
        },
      },
      required: ['name', 'index', 'mac', 'mtu', 'flags', 'addresses', 'statistics'],
      additionalProperties: false,
    },
  },
  where: 'loop',
  async run({ name }, context) {
    const interfaces = await readInterfaces(context.root);
    if (name === undefined) return interfaces;
    const found = interfaces.find((one) => one.name === name);
    if (found === undefined) throw new StewardError('interface_not_found', { name });
    return [found];
  },
});
