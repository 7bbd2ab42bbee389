/** Catalogue entries of the files tools, in the order of the catalogue. */
import type { AnyTool } from '../tool.ts';
import { filesChmodTool } from './chmod.ts';
import { filesChownTool } from './chown.ts';
import { filesCreateTool } from './create.ts';
import { filesFiletypeTool } from './filetype.ts';
import { filesFindTool } from './find.ts';
import { filesListTool } from './list.ts';
import { filesReadTool } from './read.ts';
import { filesUpdateTool } from './update.ts';

export const FILE_TOOLS: readonly AnyTool[] = [
  filesListTool,
  filesReadTool,
  filesCreateTool,
  filesUpdateTool,
  filesFindTool,
  filesFiletypeTool,
  filesChmodTool,
  filesChownTool,
];
