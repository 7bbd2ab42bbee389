/** Catalogue entry: words and text of files/create. */
import { filesCreate, type CreateResult } from '@steward/shared/ops/files/create.ts';
import { sha256Meta } from '../../render/meta.ts';
import { escapeName } from '../../render/names.ts';
import { tool } from '../tool.ts';

export const filesCreateTool = tool({
  name: 'files/create',
  title: 'Create or overwrite file',
  description:
    'Create a file or replace all its content; makes missing parents. Empty content only creates or touches, never truncates. To change part of a file use files/update.',
  op: filesCreate,
  formats: false,
  human: false,
  emptyIsValue: ['content'],
  extra: { content: { type: 'string', description: 'exact bytes; empty = touch' } },
  text: ({ result }) => ({
    text: result.dry_run ? `Dry run: would ${planned(result)}` : done(result),
    ...sha256Meta(result.sha256),
  }),
});

function done({ action, path }: CreateResult): string {
  return `Successfully ${action === 'touch' ? 'touched' : 'created and wrote to'} ${escapeName(path)}`;
}

function planned(result: CreateResult): string {
  const path = escapeName(result.path);
  const parents = result.directories === 0 ? '' : ` and ${directories(result.directories)}`;
  if (result.action === 'create') return `create ${path} (${String(result.size)} bytes, mode ${result.mode})${parents}`;
  if (result.action === 'replace') return `replace ${path} (${String(result.old_size)} -> ${String(result.size)} bytes)`;
  return `touch ${path}${parents.replace(' and ', ' and create ')}`;
}

function directories(count: number): string {
  return `${String(count)} ${count === 1 ? 'directory' : 'directories'}`;
}
