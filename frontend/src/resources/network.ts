/** Network interfaces and routes as resources. All public: read here, never as root. */
import { networkInterfaces } from '@steward/shared/ops/network/interfaces.ts';
import { networkRoutes } from '@steward/shared/ops/network/routes.ts';
import { jsonText } from '../render/json.ts';
import { interfaceNames } from './choices.ts';
import type { FixedResource, ResourceTemplate } from './resource.ts';

const JSON_TYPE = 'application/json';

const interfaces: FixedResource = {
  uri: 'network://interfaces',
  name: 'Network Interfaces',
  description: 'Network interfaces with hardware address, state, addresses and counters.',
  mimeType: JSON_TYPE,
  group: 'network',
  verb: 'interfaces',
  async read(context) {
    const { result } = await context.runLocal(networkInterfaces, {});
    return { mimeType: JSON_TYPE, text: jsonText(result) };
  },
};

const routes: FixedResource = {
  uri: 'network://routes',
  name: 'Network Routes',
  description: 'The IPv4 routing table of the kernel.',
  mimeType: JSON_TYPE,
  group: 'network',
  verb: 'routes',
  async read(context) {
    const { result } = await context.runLocal(networkRoutes, {});
    return { mimeType: JSON_TYPE, text: jsonText(result) };
  },
};

const interfaceDetail: ResourceTemplate = {
  uriTemplate: 'network://interfaces/{name}',
  complete: { name: interfaceNames },
  name: 'Network Interface Detail',
  description: 'One network interface by its name, with the fields of network://interfaces.',
  mimeType: JSON_TYPE,
  group: 'network',
  verb: 'interface',
  async read(context) {
    const { result } = await context.runLocal(networkInterfaces, { name: context.params['name'] ?? '' });
    return { mimeType: JSON_TYPE, text: jsonText(result[0]) };
  },
};

export const NETWORK_RESOURCES: readonly FixedResource[] = [interfaces, routes];
export const NETWORK_TEMPLATES: readonly ResourceTemplate[] = [interfaceDetail];
