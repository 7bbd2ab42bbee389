/** Catalogue entry: words and text of docker/images. */
import { dockerImages, type ImageRecord } from '@steward/shared/ops/docker/images.ts';
import { sizeWithUnit } from '../../render/sizes.ts';
import { tool } from '../tool.ts';
import { blocks } from './listing.ts';

export const dockerImagesTool = tool({
  name: 'docker/images',
  title: 'List images',
  description:
    'List images, optional glob on tag or repository. Untagged show as <none>:<none>. Text or JSON. Details: docker-image:// resources.',
  op: dockerImages,
  formats: true,
  human: false,
  text: (outcome) => blocks(outcome.result.count, () => outcome.records(), block, 'images'),
});

function block({ repo_tags: tags, id, size_bytes: size, created }: ImageRecord): string[] {
  return [tags.join(', '), `  ID: ${id} | Size: ${sizeWithUnit(size)} | Created: ${created}`];
}
