/** Behind `system://hostname`: the name that the kernel has. Public. */
import { readHostname } from '../../host/system.ts';
import { NOTHING } from '../../schema.ts';
import { operation } from '../operation.ts';

export const systemHostname = operation<Record<never, never>, string>({
  name: 'resource/hostname',
  args: NOTHING,
  kind: 'value',
  result: { type: 'string' },
  where: 'loop',
  run: (_args, context) => readHostname(context.root),
});
