/** Lists images and how many containers use each. Changes nothing. */
import { simpleGlob } from '../../config/match.ts';
import { requireEngine } from '../../engine/access.ts';
import { listContainers, shortId } from '../../engine/containers.ts';
import { integer, strings, text, type Members } from '../../engine/json.ts';
import { digestsOf, listImages, tagsOf } from '../../engine/objects.ts';
import { newestFirst, utcTime } from '../../engine/times.ts';
import { inTurns } from '../../engine/turns.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';
import { counted, named, word, words } from './schemas.ts';

const args = {
  type: 'object',
  properties: {
    all: { type: 'boolean', description: 'intermediate layers' },
    pattern: { type: 'string', maxLength: 255, description: 'glob on tag or repository' },
  },
  required: [],
  additionalProperties: false,
} as const;

const record = {
  type: 'object',
  properties: {
    id: word,
    full_id: word,
    repo_tags: words,
    repo_digests: words,
    size_bytes: { type: 'integer' },
    created: word,
    containers: { type: 'integer', minimum: 0 },
    labels: named,
  },
  required: ['id', 'full_id', 'repo_tags', 'repo_digests', 'size_bytes', 'created', 'containers', 'labels'],
  additionalProperties: false,
} as const;
export type ImageRecord = Static<typeof record>;

export const dockerImages = operation<Static<typeof args>, Static<typeof counted>, ImageRecord>({
  name: 'docker/images',
  args,
  kind: 'records',
  result: counted,
  record,
  where: 'loop',
  async run({ all = false, pattern }, context) {
    const engine = await requireEngine(context);
    const { signal } = context;
    const found = await listImages(engine, signal, all ? { all: 'true' } : {});
    const users = new Map<string, number>();
    for (const container of await listContainers(engine, signal)) {
      const image = text(container['ImageID']);
      users.set(image, (users.get(image) ?? 0) + 1);
    }
    const chosen = found
      .filter((image) => pattern === undefined || tagsOf(image).some((tag) => isMatch(pattern, tag)))
      .sort(newestFirst);
    await inTurns(chosen, (image) => context.emit(recordOf(image, users.get(text(image['Id'])) ?? 0)));
    return { count: chosen.length };
  },
});

/** A tag is matched whole, or without what follows the repository's name. */
function isMatch(pattern: string, tag: string): boolean {
  return simpleGlob(pattern, tag) || simpleGlob(pattern, tag.replace(/:[^:/]*$/, ''));
}

function recordOf(image: Members, containers: number): ImageRecord {
  const id = text(image['Id']);
  return {
    id: shortId(id),
    full_id: id,
    repo_tags: tagsOf(image),
    repo_digests: digestsOf(image),
    size_bytes: integer(image['Size']),
    created: utcTime(image['Created']),
    containers,
    labels: strings(image['Labels']),
  };
}
