/** Catalogue entry: words and text of docker/containers. */
import { dockerContainers, type ContainerRecord } from '@steward/shared/ops/docker/containers.ts';
import { tool } from '../tool.ts';
import { blocks, listed } from './listing.ts';

export const dockerContainersTool = tool({
  name: 'docker/containers',
  title: 'List containers',
  description:
    'List running containers, or all; filter by name glob and state; newest first. Text or JSON. Details: docker-container:// resources.',
  op: dockerContainers,
  formats: true,
  human: false,
  text: (outcome) => blocks(outcome.result.count, () => outcome.records(), block, 'containers'),
});

function block({ state, name, id, image, status, ports }: ContainerRecord): string[] {
  return [
    `[${state}] ${name} (${id})`,
    `  Image: ${image}`,
    `  Status: ${status}`,
    `  Ports: ${listed(ports === '' ? [] : [ports])}`,
  ];
}
