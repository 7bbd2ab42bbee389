/** Catalogue entry: words and text of files/update. */
import { filesUpdate, type UpdateResult } from '@steward/shared/ops/files/update.ts';
import { sha256Meta } from '../../render/meta.ts';
import { escapeName } from '../../render/names.ts';
import { tool } from '../tool.ts';

export const filesUpdateTool = tool({
  name: 'files/update',
  title: 'Edit file (append or replace lines)',
  description:
    'Append to a file, or replace the line range start_line..end_line with content. File keeps mode and owner. No insert or delete mode. Whole content: files/create.',
  op: filesUpdate,
  formats: false,
  human: false,
  required: ['content'],
  emptyIsValue: ['content'],
  extra: { content: { type: 'string', description: 'may be empty' } },
  text: ({ result }) => ({
    text: result.dry_run ? planned(result) : done(result),
    ...sha256Meta(result.sha256),
  }),
});

function lines({ start, end }: UpdateResult): string {
  return `lines ${String(start)}-${String(end)}`;
}

function done(result: UpdateResult): string {
  const path = escapeName(result.path);
  return result.action === 'append' ? `Successfully appended to ${path}` : `Successfully updated ${lines(result)} in ${path}`;
}

function planned(result: UpdateResult): string {
  const path = escapeName(result.path);
  const old = `${String(result.old_lines)} ${result.old_lines === 1 ? 'line becomes' : 'lines become'}`;
  const what =
    result.action === 'append' ? `append to ${path}` : `replace ${lines(result)} of ${path} (${old} ${String(result.new_lines)})`;
  return `Dry run: would ${what}${result.sha256 === undefined ? '' : `; sha256 now ${result.sha256}`}`;
}
