/** Behind `system://timezone`: the zone of this host and its local time now. Public. */
import { readTimezone, type HostTimezone } from '../../host/zone/timezone.ts';
import { NOTHING } from '../../schema.ts';
import { operation } from '../operation.ts';

/** The zone at one moment. */
export interface TimezoneNow extends HostTimezone {
  /** Seconds since 1970. */
  readonly now: number;
}

export const systemTimezone = operation<Record<never, never>, TimezoneNow>({
  name: 'resource/timezone',
  args: NOTHING,
  kind: 'value',
  result: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      abbreviation: { type: 'string' },
      offset: { type: 'integer' },
      now: { type: 'integer' },
    },
    required: ['name', 'abbreviation', 'offset', 'now'],
    additionalProperties: false,
  },
  where: 'loop',
  async run(_args, context) {
    const now = Math.floor(Date.now() / 1000);
    return { ...(await readTimezone(context.root, now)), now };
  },
});
