/** The tools about the system as a whole in the order of the catalogue. */
import type { AnyTool } from '../tool.ts';
import { osReleaseTool } from './os-release.ts';
import { packagesTool } from './packages.ts';

export const SYSTEM_TOOLS: readonly AnyTool[] = [osReleaseTool, packagesTool];
