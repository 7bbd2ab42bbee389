/** The tools about accounts in the order of the catalogue. */
import type { AnyTool } from '../tool.ts';
import { usersListTool } from './list.ts';

export const USER_TOOLS: readonly AnyTool[] = [usersListTool];
