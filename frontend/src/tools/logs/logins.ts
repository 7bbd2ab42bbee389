/** Catalogue entry: words, text and JSON form of logs/logins. */
import { StewardError } from '@steward/shared/errors.ts';
import { localTime } from '@steward/shared/host/times.ts';
import { LOGIN_TYPES, logsLogins, type LoginEntry } from '@steward/shared/ops/logs/logins.ts';
import { jsonObject } from '../../render/json.ts';
import { escapeName } from '../../render/names.ts';
import { joinLines } from '../../render/stream.ts';
import { tool } from '../tool.ts';

export const loginsTool = tool({
  name: 'logs/logins',
  title: 'Login history',
  description:
    'Login history, newest first; type failed shows failed logins (usually needs privileged: true). Default 1000 records. Text or JSON. Accounts: users/list.',
  op: logsLogins,
  formats: true,
  human: false,
  prepare: (args) => {
    const { type } = args;
    const isWrong = typeof type === 'string' && type !== '' && !LOGIN_TYPES.some((known) => known === type);
    if (isWrong) throw new StewardError('login_type_invalid', { type });
    return args;
  },
  text: (outcome, { args }) => {
    const { truncated, limit } = outcome.result;
    // Whoever asked for so many knows that there may be more.
    const warns = truncated && args.limit !== limit;
    return { text: joinLines(lines(outcome.records(), warns ? limit : undefined)) };
  },
  json: (outcome) => ({ text: jsonObject('entries', outcome.records(), { truncated: outcome.result.truncated }) }),
});

async function* lines(entries: AsyncIterable<LoginEntry>, limit: number | undefined): AsyncGenerator<string> {
  for await (const entry of entries) yield lineOf(entry);
  if (limit !== undefined) yield `[WARNING: Output truncated to the newest ${String(limit)} records]`;
}

/** The columns of last(1), longer values not cut. */
function lineOf(entry: LoginEntry): string {
  const { user, tty, host, login } = entry;
  const columns = [escapeName(user).padEnd(8), escapeName(tty).padEnd(12), escapeName(host).padEnd(16)];
  return [...columns, timeText(login), endText(entry)].join(' ').trimEnd();
}

function endText({ state, logout, seconds = 0 }: LoginEntry): string {
  switch (state) {
    case 'open':
      return 'still logged in';
    case 'down':
      return `- down (${duration(seconds)})`;
    case 'crash':
      return '- crash';
    case 'closed':
    case 'boot':
    case 'failed':
      return logout === null ? '' : `- ${timeText(logout)} (${duration(seconds)})`;
  }
}

function timeText(time: string): string {
  return localTime(Date.parse(time));
}

/** `00:28`, `1+02:03`: days if any, hours and minutes. */
function duration(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const days = Math.floor(minutes / 1440);
  const clock = [Math.floor(minutes / 60) % 24, minutes % 60].map((value) => String(value).padStart(2, '0')).join(':');
  return days === 0 ? clock : `${String(days)}+${clock}`;
}
