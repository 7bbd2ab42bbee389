/** Catalogue entry: words and text of files/chmod. */
import { filesChmod } from '@steward/shared/ops/files/chmod.ts';
import { renderChanges } from '../../render/changes.ts';
import { tool } from '../tool.ts';

export const filesChmodTool = tool({
  name: 'files/chmod',
  title: 'Change file permissions',
  description:
    'Change mode bits, octal (755) or symbolic (u+x,g-w), GNU rules. Refuses symlinks in the path; recursive runs skip them and report. Not atomic.',
  op: filesChmod,
  formats: false,
  human: false,
  // Octal digits written as a number keep their digits: 755 is "755".
  prepare: ({ mode, ...rest }) => ({
    ...rest,
    ...(mode === undefined ? {} : { mode: typeof mode === 'number' && Number.isSafeInteger(mode) ? String(mode) : mode }),
  }),
  text: (outcome, { args }) =>
    renderChanges(outcome.result, () => outcome.records(), {
      recursive: args.recursive === true,
      dryRun: args.dry_run === true,
      describe: (entry) => {
        const old = `${entry.old} (${entry.old_mode})`;
        return entry.changed ? `${old} -> ${entry.new} (${entry.new_mode})` : `mode already ${old}, unchanged`;
      },
    }),
});
