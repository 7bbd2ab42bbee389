/** Behind `os://release`: the os-release file as it is. Public. */
import { readOsRelease } from '../../host/system.ts';
import { NOTHING } from '../../schema.ts';
import { operation } from '../operation.ts';

export const systemRelease = operation<Record<never, never>, string>({
  name: 'resource/os-release',
  args: NOTHING,
  kind: 'value',
  result: { type: 'string' },
  where: 'loop',
  run: (_args, context) => readOsRelease(context.root),
});
