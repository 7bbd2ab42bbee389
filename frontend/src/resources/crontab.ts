/** The template `crontab://{user}/info` and its other view, `/text`. Always asked of the broker, which decides whose may be read. */
import { StewardError } from '@steward/shared/errors.ts';
import { crontabResource } from '@steward/shared/ops/resource/crontab.ts';
import { jsonText } from '../render/json.ts';
import { decoded } from '../render/stream.ts';
import { crontabUsers } from './choices.ts';
import type { ResourceTemplate } from './resource.ts';

const JSON_TYPE = 'application/json';

const crontab: ResourceTemplate = {
  uriTemplate: 'crontab://{user}/info',
  complete: { user: crontabUsers },
  matches: 'crontab://{user}/{view}',
  name: 'User Crontab',
  description: "Size, jobs and hash of an account's crontab; /text for the crontab itself. Own account free, others by grant.",
  mimeType: JSON_TYPE,
  group: 'cron',
  verb: 'crontab',
  async read(context) {
    const { user = '', view = '' } = context.params;
    if (view !== 'info' && view !== 'text') throw new StewardError('crontab_view', { view });
    const outcome = await context.runRoot(crontabResource, { user });
    if (view === 'text') return { mimeType: 'text/plain', text: decoded(outcome.bytes()) };
    return { mimeType: JSON_TYPE, text: jsonText(outcome.result) };
  },
};

export const CRONTAB_TEMPLATES: readonly ResourceTemplate[] = [crontab];
