/** Behind `system://locale`: the language settings of this host. Public. */
import { readLocale, type LocaleSettings } from '../../host/locale.ts';
import { operation } from '../operation.ts';

export const systemLocale = operation<Record<never, never>, LocaleSettings>({
  name: 'resource/locale',
  args: { type: 'object', properties: {}, required: [], additionalProperties: false },
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
