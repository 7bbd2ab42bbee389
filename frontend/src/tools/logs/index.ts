/** The tools about logs that read the host's own files, in the order of the catalogue. */
import type { AnyTool } from '../tool.ts';
import { dmesgTool } from './dmesg.ts';
import { loginsTool } from './logins.ts';

export const LOG_TOOLS: readonly AnyTool[] = [dmesgTool, loginsTool];
