/** Behind `network://routes`: the kernel's IPv4 routing table. Public. */
import { readRoutes, ROUTE_FLAGS, type Route } from '../../host/routes.ts';
import { NOTHING } from '../../schema.ts';
import { operation } from '../operation.ts';

const text = { type: 'string' } as const;
const number = { type: 'integer', minimum: 0 } as const;

export const networkRoutes = operation<Record<string, never>, Route[]>({
  name: 'resource/network-routes',
  args: NOTHING,
  kind: 'value',
  result: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        destination: text,
        gateway: text,
        iface: text,
        metric: number,
        flags: { type: 'array', items: { type: 'string', enum: ROUTE_FLAGS } },
        mtu: number,
        window: number,
        irtt: number,
        default: { type: 'boolean' },
      },
      required: ['destination', 'gateway', 'iface', 'metric', 'flags', 'mtu', 'window', 'irtt', 'default'],
      additionalProperties: false,
    },
  },
  where: 'loop',
  run: (_args, context) => readRoutes(context.root),
});
