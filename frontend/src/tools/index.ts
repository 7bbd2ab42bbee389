/** Every tool that is built, in the order in which they are listed: that of the facts. */
import { TOOL_FACTS } from '@steward/shared/catalogue/facts.ts';
import { sudoRulesTool } from './auth/sudo-rules.ts';
import { cpuListTool } from './cpu/list.ts';
import { loadAverageTool } from './cpu/load-average.ts';
import { CRON_TOOLS } from './cron/index.ts';
import { reloadConfigTool } from './daemon/reload-config.ts';
import { DISK_TOOLS } from './disks/index.ts';
import { DOCKER_TOOLS } from './docker/index.ts';
import { FILE_TOOLS } from './files/index.ts';
import { systemControlTool } from './kernel/system-control.ts';
import { LOG_TOOLS } from './logs/index.ts';
import { memoryUsageTool } from './memory/usage.ts';
import { NETWORK_TOOLS } from './network/index.ts';
import { PROCESS_TOOLS } from './processes/index.ts';
import { SERVICE_TOOLS } from './services/index.ts';
import { SYSTEM_TOOLS } from './system/index.ts';
import { TIMER_TOOLS } from './timers/index.ts';
import type { AnyTool } from './tool.ts';
import { USER_TOOLS } from './users/index.ts';

const built: readonly AnyTool[] = [
  ...FILE_TOOLS,
  ...DISK_TOOLS,
  ...PROCESS_TOOLS,
  ...NETWORK_TOOLS,
  memoryUsageTool,
  ...SERVICE_TOOLS,
  ...TIMER_TOOLS,
  ...SYSTEM_TOOLS,
  ...USER_TOOLS,
  sudoRulesTool,
  ...LOG_TOOLS,
  systemControlTool,
  cpuListTool,
  loadAverageTool,
  ...DOCKER_TOOLS,
  ...CRON_TOOLS,
  reloadConfigTool,
];

const order = Object.keys(TOOL_FACTS);

export const TOOLS: readonly AnyTool[] = built.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
