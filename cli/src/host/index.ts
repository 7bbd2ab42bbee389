/** All commands of the host administration, in the order of the help text. */
import { allowlistCommands } from './allowlist.ts';
import { auditShowCommands } from './audit-show.ts';
import { auditTailCommands } from './audit-tail.ts';
import { auditReportCommands } from './audit-report.ts';
import { auditVerifyCommands } from './audit-verify.ts';
import { certCommands } from './cert.ts';
import { checkCommands } from './check.ts';
import type { HostCommand } from './command.ts';
import { configEditCommands } from './config-edit.ts';
import { configCommands } from './config.ts';
import { explainCommands } from './explain-command.ts';
import { grantsCommands } from './grants.ts';
import { profileCommands } from './profile.ts';
import { tokenCommands } from './tokens.ts';
import { usersCommands } from './users.ts';
import { verifyCommands } from './verify.ts';

export const hostCommands: readonly HostCommand[] = [
  ...usersCommands,
  ...tokenCommands,
  ...grantsCommands,
  ...checkCommands,
  ...explainCommands,
  ...profileCommands,
  ...configCommands,
  ...configEditCommands,
  ...certCommands,
  ...allowlistCommands,
  ...auditVerifyCommands,
  ...auditShowCommands,
  ...auditTailCommands,
  ...auditReportCommands,
  ...verifyCommands,
];
