/** Every operation there is, in the order of the catalogue. The frontend, the broker's table and the workers draw from here. */
import { authSudoRules } from './auth/sudo-rules.ts';
import { cpuList } from './cpu/list.ts';
import { cpuLoadAverage } from './cpu/load-average.ts';
import { daemonReloadConfig } from './daemon/reload-config.ts';
import { filesChmod } from './files/chmod.ts';
import { filesChown } from './files/chown.ts';
import { filesCreate } from './files/create.ts';
import { filesFiletype } from './files/filetype.ts';
import { filesFind } from './files/find.ts';
import { filesList } from './files/list.ts';
import { filesRead } from './files/read.ts';
import { fileContent, fileStat, fileType } from './files/resource.ts';
import { filesUpdate } from './files/update.ts';
import { kernelSystemControl } from './kernel/system-control.ts';
import { memoryUsage } from './memory/usage.ts';
import type { AnyOperation } from './operation.ts';
import { systemHostname } from './system/hostname.ts';
import { systemRelease } from './system/release.ts';
import { systemUname } from './system/uname.ts';

export const OPERATIONS: readonly AnyOperation[] = [
  filesList,
  filesRead,
  filesCreate,
  filesUpdate,
  filesFind,
  filesFiletype,
  filesChmod,
  filesChown,
  memoryUsage,
  authSudoRules,
  kernelSystemControl,
  cpuList,
  cpuLoadAverage,
  daemonReloadConfig,
  // Behind resources.
  systemUname,
  systemRelease,
  systemHostname,
  fileContent,
  fileStat,
  fileType,
];

/** The operation of that name, or undefined. */
export function findOperation(name: string): AnyOperation | undefined {
  return OPERATIONS.find((op) => op.name === name);
}
