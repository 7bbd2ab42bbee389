/** Catalogue entry: words and text of files/chown. */
import { filesChown } from '@steward/shared/ops/files/chown.ts';
import { renderChanges } from '../../render/changes.ts';
import { escapeName } from '../../render/names.ts';
import { tool } from '../tool.ts';

export const filesChownTool = tool({
  name: 'files/chown',
  title: 'Change file owner/group',
  description:
    'Change owner and group: user, user:group, :group or user: (login group); names or ids. A new owner needs privileged: true. Symlink rules as files/chmod.',
  op: filesChown,
  formats: false,
  human: false,
  text: (outcome, { args }) =>
    renderChanges(outcome.result, () => outcome.records(), {
      recursive: args.recursive === true,
      dryRun: args.dry_run === true,
      describe: (entry) => {
        const old = escapeName(entry.old);
        return entry.changed ? `${old} -> ${escapeName(entry.new)}` : `owner already ${old}, unchanged`;
      },
    }),
});
