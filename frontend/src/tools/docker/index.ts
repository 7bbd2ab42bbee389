/** The docker tools in the order of the catalogue. */
import type { AnyTool } from '../tool.ts';
import { dockerContainersTool } from './containers.ts';
import { dockerExecTool } from './exec.ts';
import { dockerImagesTool } from './images.ts';
import { dockerLogsTool } from './logs.ts';
import { dockerManageTool } from './manage.ts';
import { dockerNetworksTool } from './networks.ts';
import { dockerPruneTool } from './prune.ts';
import { dockerVolumesTool } from './volumes.ts';

export const DOCKER_TOOLS: readonly AnyTool[] = [
  dockerContainersTool,
  dockerManageTool,
  dockerLogsTool,
  dockerExecTool,
  dockerImagesTool,
  dockerVolumesTool,
  dockerNetworksTool,
  dockerPruneTool,
];
