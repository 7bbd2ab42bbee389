/** Time zone and language settings of this host as resources. All public: read here, never as root. */
import { systemLocale } from '@steward/shared/ops/system/locale.ts';
import { systemTimezone } from '@steward/shared/ops/system/timezone.ts';
import type { FixedResource } from './resource.ts';

const PLAIN = 'text/plain';
const HOUR = 3600;

const timezone: FixedResource = {
  uri: 'system://timezone',
  name: 'System Timezone',
  description: 'Time zone of this host, its UTC offset in hours and the local time now.',
  mimeType: PLAIN,
  group: 'system',
  verb: 'timezone',
  async read(context) {
    const { name, abbreviation, offset, now } = (await context.runLocal(systemTimezone, {})).result;
    const lines = [
      `Time zone: ${name}`,
      `Abbreviation: ${abbreviation}`,
      `UTC offset: ${offsetHours(offset)}`,
      `Current local time: ${dateIn(now, offset)} ${abbreviation}`,
    ];
    return { mimeType: PLAIN, text: lines.join('\n') };
  },
};

const locale: FixedResource = {
  uri: 'system://locale',
  name: 'System Locale',
  description: 'Language settings of this host (LANG and LC_*) and where they come from.',
  mimeType: PLAIN,
  group: 'system',
  verb: 'locale',
  async read(context) {
    const { source, settings } = (await context.runLocal(systemLocale, {})).result;
    return { mimeType: PLAIN, text: [`Source: ${source}`, ...settings].join('\n') };
  },
};

/** Hours with a sign and at least one decimal: `+1.0`, `+5.75`. */
function offsetHours(seconds: number): string {
  const hours = String(Number((Math.abs(seconds) / HOUR).toFixed(4)));
  return (seconds < 0 ? '-' : '+') + (hours.includes('.') ? hours : `${hours}.0`);
}

/** `Fri, 20 Nov 2026 12:33:02`; both in seconds. */
function dateIn(time: number, offset: number): string {
  return new Date((time + offset) * 1000).toUTCString().replace(/ GMT$/, '');
}

export const TIMEZONE_LOCALE_RESOURCES: readonly FixedResource[] = [timezone, locale];
