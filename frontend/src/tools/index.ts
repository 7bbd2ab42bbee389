/** Every tool that is built, in the order in which they are listed (that of the facts). */
import { sudoRulesTool } from './auth/sudo-rules.ts';
import { cpuListTool } from './cpu/list.ts';
import { loadAverageTool } from './cpu/load-average.ts';
import { reloadConfigTool } from './daemon/reload-config.ts';
import { filesChmodTool } from './files/chmod.ts';
import { filesChownTool } from './files/chown.ts';
import { filesCreateTool } from './files/create.ts';
import { filesFiletypeTool } from './files/filetype.ts';
import { filesFindTool } from './files/find.ts';
import { filesListTool } from './files/list.ts';
import { filesReadTool } from './files/read.ts';
import { filesUpdateTool } from './files/update.ts';
import { systemControlTool } from './kernel/system-control.ts';
import { memoryUsageTool } from './memory/usage.ts';
import type { AnyTool } from './tool.ts';

export const TOOLS: readonly AnyTool[] = [
  filesListTool,
  filesReadTool,
  filesCreateTool,
  filesUpdateTool,
  filesFindTool,
  filesFiletypeTool,
  filesChmodTool,
  filesChownTool,
  memoryUsageTool,
  sudoRulesTool,
  systemControlTool,
  cpuListTool,
  loadAverageTool,
  reloadConfigTool,
];
