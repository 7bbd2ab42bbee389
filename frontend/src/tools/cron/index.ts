/** The cron tools in the order of the catalogue. */
import type { AnyTool } from '../tool.ts';
import { cronManageTool } from './manage.ts';

export const CRON_TOOLS: readonly AnyTool[] = [cronManageTool];
