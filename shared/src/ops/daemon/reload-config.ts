/**
 * Reads the three configuration files again and applies them, or with `dry_run` says what would change. All of the work, and the
 * decision that both processes switch or neither does, is the broker's.
 */
import { StewardError } from '../../errors.ts';
import type { ReloadReport } from '../../ipc/messages.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: { dry_run: { type: 'boolean' } },
  required: [],
  additionalProperties: false,
} as const;
const lines = { type: 'array', items: { type: 'string' } } as const;
const result = {
  type: 'object',
  properties: { files: lines, changes: lines, closed_sessions: { type: 'integer' }, needs_restart: lines },
  required: ['files', 'changes', 'closed_sessions', 'needs_restart'],
  additionalProperties: false,
} as const;

export const daemonReloadConfig = operation<Static<typeof args>, ReloadReport>({
  name: 'daemon/reload-config',
  args,
  kind: 'value',
  result,
  where: 'loop',
  async run({ dry_run }, context) {
    if (context.broker === undefined) throw new StewardError('broker_unavailable');
    const dryRun = dry_run === true;
    if (!dryRun) context.begin();
    return context.broker.reload(dryRun);
  },
});
