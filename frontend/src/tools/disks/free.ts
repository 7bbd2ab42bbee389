/** Catalogue entry: words, text and JSON form of disks/free. */
import { disksFree } from '@steward/shared/ops/disks/free.ts';
import { jsonText } from '../../render/json.ts';
import { sizeWithUnit } from '../../render/sizes.ts';
import { tool, type Outcome, type Rendered, type RenderOptions } from '../tool.ts';
import type { DiskFree } from '@steward/shared/ops/disks/free.ts';

export const disksFreeTool = tool({
  name: 'disks/free',
  title: 'Filesystem free space',
  description:
    'Space on the one filesystem that holds path; free is what ordinary users may use, used is total minus that. Text or JSON. All filesystems: disks/mounts.',
  op: disksFree,
  formats: true,
  human: true,
  text: renderText,
  json: (outcome, options) => {
    const { inodes, ...space } = outcome.result;
    if (inodes !== undefined) return { ...renderText(outcome, options), isJson: false };
    const { total_bytes: total, used_bytes: used, free_bytes: free } = space;
    const human = {
      total_human: sizeWithUnit(total),
      used_human: sizeWithUnit(used),
      free_human: sizeWithUnit(free),
    };
    return { text: jsonText(options.human ? { ...space, ...human } : space) };
  },
});

/** Counts of inodes are text whatever the form. */
function renderText({ result }: Outcome<DiskFree, never>, { human }: Pick<RenderOptions<unknown>, 'human'>): Rendered {
  const { inodes, total_bytes: total, used_bytes: used, free_bytes: free, use_percent: percent } = result;
  if (inodes !== undefined) {
    return { text: [`Inodes total: ${inodes.total}`, `Inodes used: ${inodes.used}`, `Inodes free: ${inodes.free}`].join('\n') };
  }
  const size = human ? sizeWithUnit : String;
  const lines = [`Total:     ${size(total)}`, `Used:      ${size(used)} (${percent.toFixed(1)}%)`, `Available: ${size(free)}`];
  return { text: lines.join('\n') };
}
