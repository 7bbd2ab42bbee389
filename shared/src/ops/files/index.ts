/** The operations behind the files tools, in the order of the catalogue, and behind `file://`. */
import type { AnyOperation } from '../operation.ts';
import { filesChmod } from './chmod.ts';
import { filesChown } from './chown.ts';
import { filesCreate } from './create.ts';
import { filesFiletype } from './filetype.ts';
import { filesFind } from './find.ts';
import { filesList } from './list.ts';
import { filesRead } from './read.ts';
import { fileContent, fileStat, fileType } from './resource.ts';
import { filesUpdate } from './update.ts';

export const FILE_OPERATIONS: readonly AnyOperation[] = [
  filesList,
  filesRead,
  filesCreate,
  filesUpdate,
  filesFind,
  filesFiletype,
  filesChmod,
  filesChown,
  // Behind resources.
  fileContent,
  fileStat,
  fileType,
];
