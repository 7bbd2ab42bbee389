/** The services tools in the order of the catalogue. */
import type { AnyTool } from '../tool.ts';
import { servicesListTool } from './list.ts';
import { servicesManageTool } from './manage.ts';

export const SERVICE_TOOLS: readonly AnyTool[] = [servicesManageTool, servicesListTool];
