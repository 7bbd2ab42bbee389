/** All commands of stewardctl itself, in the order of the help text. */
import { completeWords, completion } from './completion.ts';
import { context } from './context.ts';
import { resource, tool } from './direct.ts';
import { explain } from './explain.ts';
import { resources, tools } from './lists.ts';
import { loginCommand } from './login.ts';
import { reload } from './reload.ts';
import { ping, whoami } from './server.ts';
import { stdio } from './stdio.ts';
import type { OwnCommand } from './own.ts';

export const OWN_COMMANDS: readonly OwnCommand[] = [
  tools,
  resources,
  explain,
  tool,
  resource,
  ping,
  whoami,
  loginCommand,
  context,
  reload,
  stdio,
  completion,
  completeWords,
];
