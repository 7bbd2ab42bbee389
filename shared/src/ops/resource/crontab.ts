/** The read behind `crontab://{user}/info` and `/text`. Runs in the broker alone, which has decided before that it may be read. */
import { StewardError } from '../../errors.ts';
import { crontabFacts, readCrontab } from '../../host/cron/crontab.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: { user: { type: 'string', maxLength: 1024 } },
  required: ['user'],
  additionalProperties: false,
} as const;

const result = {
  type: 'object',
  properties: {
    user: { type: 'string' },
    exists: { type: 'boolean' },
    lines: { type: 'integer' },
    jobs: { type: 'integer' },
    bytes: { type: 'integer' },
    /** Lower-case hex; of nothing where there is no crontab. */
    sha256: { type: 'string' },
  },
  required: ['user', 'exists', 'lines', 'jobs', 'bytes', 'sha256'],
  additionalProperties: false,
} as const;

/** The facts, and the content as bytes. */
export const crontabResource = operation<Static<typeof args>, Static<typeof result>>({
  name: 'resource/crontab',
  args,
  kind: 'bytes',
  result,
  where: 'loop',
  async run({ user }, context) {
    if (context.broker === undefined) throw new StewardError('broker_unavailable');
    const content = await readCrontab(context.programs, user, context.signal);
    if (content !== undefined) await context.write(content);
    return { user, exists: content !== undefined, ...crontabFacts(content) };
  },
});
