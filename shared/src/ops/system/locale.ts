/** Behind `system://locale`: the language settings of this host. Public. */
import { readLocale, type LocaleSettings } from '../../host/locale.ts';
import { NOTHING } from '../../schema.ts';
import { operation } from '../operation.ts';

export const systemLocale = operation<Record<never, never>, LocaleSettings>({
  name: 'resource/locale',
  args: NOTHING,
  kind: 'value',
  result: {
    type: 'object',
    properties: { source: { type: 'string' }, settings: { type: 'array', items: { type: 'string' } } },
    required: ['source', 'settings'],
    additionalProperties: false,
  },
  where: 'loop',
  run: (_args, context) => readLocale(context.root),
});
