/** Catalogue entries of the logs tools, in the order of the catalogue. */
import type { AnyTool } from '../tool.ts';
import { dmesgTool } from './dmesg.ts';
import { journalControlTool } from './journal-control.ts';
import { loginsTool } from './logins.ts';

export const LOG_TOOLS: readonly AnyTool[] = [journalControlTool, dmesgTool, loginsTool];
