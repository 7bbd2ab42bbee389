/** Catalogue entry: words and text of files/filetype. */
import { filesFiletype } from '@steward/shared/ops/files/filetype.ts';
import { tool } from '../tool.ts';

export const filesFiletypeTool = tool({
  name: 'files/filetype',
  title: 'Detect file MIME type',
  description:
    'Detect the MIME type of a file from its first 8 KiB, one text line. Directories, symlinks, devices give inode/... types.',
  op: filesFiletype,
  formats: false,
  human: false,
  text: ({ result }) => ({ text: result.mime }),
});
