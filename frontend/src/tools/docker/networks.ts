/** Catalogue entry: words and text of docker/networks. */
import { dockerNetworks, type NetworkRecord } from '@steward/shared/ops/docker/networks.ts';
import { tool } from '../tool.ts';
import { blocks, listed } from './listing.ts';

export const dockerNetworksTool = tool({
  name: 'docker/networks',
  title: 'List Docker networks',
  description:
    'List container networks with subnets and attached containers. Text or JSON. Details: docker-network:// resources.',
  op: dockerNetworks,
  formats: true,
  human: false,
  text: (outcome) => blocks(outcome.result.count, () => outcome.records(), block, 'networks'),
});

function block({ name, id, driver, scope, subnets, containers }: NetworkRecord): string[] {
  return [
    `${name} (${id})`,
    `  Driver: ${driver} | Scope: ${scope}`,
    `  Subnets: ${listed(subnets)}`,
    `  Containers: ${listed(containers)}`,
  ];
}
