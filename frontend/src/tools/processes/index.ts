/** The catalogue entries for processes, in the order in which they are listed. */
import type { AnyTool } from '../tool.ts';
import { processesDeleteTool } from './delete.ts';
import { processesListTool } from './list.ts';
import { processesTopTool } from './top.ts';

export const PROCESS_TOOLS: readonly AnyTool[] = [processesListTool, processesTopTool, processesDeleteTool];
