/** The timers tools in the order of the catalogue. */
import type { AnyTool } from '../tool.ts';
import { timersListTool } from './list.ts';

export const TIMER_TOOLS: readonly AnyTool[] = [timersListTool];
