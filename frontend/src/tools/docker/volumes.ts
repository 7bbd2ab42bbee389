/** Catalogue entry: words and text of docker/volumes. */
import { dockerVolumes, type VolumeRecord } from '@steward/shared/ops/docker/volumes.ts';
import { tool } from '../tool.ts';
import { blocks, listed } from './listing.ts';

export const dockerVolumesTool = tool({
  name: 'docker/volumes',
  title: 'List volumes',
  description: 'List volumes and the containers that use them. Text or JSON. Details: docker-volume:// resources.',
  op: dockerVolumes,
  formats: true,
  human: false,
  text: (outcome) => blocks(outcome.result.count, () => outcome.records(), block, 'volumes'),
});

function block({ name, driver, scope, mountpoint, in_use_by: users }: VolumeRecord): string[] {
  return [name, `  Driver: ${driver} | Scope: ${scope}`, `  Mountpoint: ${mountpoint}`, `  In use by: ${listed(users)}`];
}
