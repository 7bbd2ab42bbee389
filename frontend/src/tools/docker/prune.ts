/** Catalogue entry: words and text of docker/prune. */
import { StewardError } from '@steward/shared/errors.ts';
import { dockerPrune, PRUNE_TARGETS, type PruneResult } from '@steward/shared/ops/docker/prune.ts';
import { escapeName } from '../../render/names.ts';
import { sizeWithUnit } from '../../render/sizes.ts';
import { tool } from '../tool.ts';
import { isMissing, needKnown } from './required.ts';

export const dockerPruneTool = tool({
  name: 'docker/prune',
  title: 'Prune unused Docker objects',
  description:
    'Remove one kind of unused object: stopped containers, dangling images, anonymous volumes, unused networks or build cache. Text or JSON.',
  op: dockerPrune,
  formats: true,
  human: false,
  prepare(values) {
    if (isMissing(values['target'])) throw new StewardError('prune_target');
    needKnown(values, 'target', PRUNE_TARGETS, 'prune_unknown');
    return { ...values };
  },
  text: ({ result }) => ({ text: report(result) }),
});

function report({ target, deleted, count, space_reclaimed_bytes: space, dry_run }: PruneResult): string {
  const reclaimed = space === undefined ? '' : `, ${sizeWithUnit(space)} reclaimed`;
  const head =
    dry_run === true ? `Dry run: would remove ${String(count)} ${target}` : `${target}: ${String(count)} removed${reclaimed}`;
  return [head, ...deleted.map((entry) => `  ${short(entry)}`)].join('\n');
}

/** Ids in 12 digits; names as they are. */
function short(entry: string): string {
  return escapeName(entry).replace(/\b(?:sha256:)?([0-9a-f]{12})[0-9a-f]{52}\b/g, '$1');
}
