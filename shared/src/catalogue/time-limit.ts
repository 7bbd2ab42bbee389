/** How long a call of a tool may take. Both sides count with this, so that neither gives up while the other has time left. */
import type { DaemonConfig } from '../config/types.ts';
import { toolFacts, type ToolName } from './facts.ts';

/**
 * Seconds: the tool's own setting, else the general one, never above what the tool can be given. Where the caller says how long
 * (docker/exec), its number counts instead of the general setting, and the tool's own setting is the ceiling.
 */
export function timeLimit(
  tool: ToolName,
  config: Pick<DaemonConfig, 'tools' | 'limits'>,
  args: Readonly<Record<string, unknown>>,
): number {
  const { maxTimeoutSeconds, callerLimit } = toolFacts(tool);
  const configured = config.tools[tool]?.timeout_seconds;
  if (callerLimit === undefined) return Math.min(configured ?? config.limits.timeout_seconds, maxTimeoutSeconds);
  const asked = args[callerLimit.argument];
  // The arguments may not have been judged yet: what is no number of seconds is not heeded, and refused later.
  const seconds = typeof asked === 'number' && asked >= 1 ? asked : callerLimit.seconds;
  return Math.min(seconds, configured ?? maxTimeoutSeconds, maxTimeoutSeconds);
}
