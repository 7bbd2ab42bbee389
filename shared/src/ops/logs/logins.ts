/**
 * Who logged in and when the host booted, newest first; or which logins failed. Reads the login records, which ordinary accounts
 * may read of successful logins alone. Runs in a worker thread: the files may be large.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkAbort } from '../../abort.ts';
import { StewardError, systemError } from '../../errors.ts';
import { LOGIN_STATES, type Login } from '../../host/logins/login.ts';
import { layoutFor, recordsBackwards } from '../../host/logins/records.ts';
import { failedLogins, sessionsOf } from '../../host/logins/sessions.ts';
import { databaseLogins } from '../../host/logins/wtmpdb.ts';
import { utcTime } from '../../host/times.ts';
import type { Static } from '../../schema.ts';
import { operation } from '../operation.ts';

export const LOGIN_TYPES = ['success', 'failed'] as const;
const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 100_000;
const USER = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

const WTMP = '/var/log/wtmp';
const BTMP = '/var/log/btmp';
const DATABASE = '/var/lib/wtmpdb/wtmp.db';

const args = {
  type: 'object',
  properties: {
    type: { type: 'string', enum: LOGIN_TYPES, default: 'success' },
    limit: { type: 'integer', minimum: 0, description: 'at most 100000; 0 = 1000' },
    user: { type: 'string' },
  },
  required: [],
  additionalProperties: false,
} as const;

const text = { type: 'string' } as const;
const record = {
  type: 'object',
  properties: {
    user: text,
    tty: text,
    /** Where from; for boots the kernel. */
    host: text,
    /** RFC 3339, as the next. */
    login: text,
    logout: { anyOf: [text, { type: 'null' }] },
    /** Between the two. */
    seconds: { type: 'integer', minimum: 0 },
    state: { type: 'string', enum: LOGIN_STATES },
  },
  required: ['user', 'tty', 'host', 'login', 'logout', 'state'],
  additionalProperties: false,
} as const;
export type LoginEntry = Static<typeof record>;

const result = {
  type: 'object',
  properties: {
    /** Whether there are more than were given. */
    truncated: { type: 'boolean' },
    /** How many are given at most. */
    limit: { type: 'integer' },
  },
  required: ['truncated', 'limit'],
  additionalProperties: false,
} as const;

export const logsLogins = operation<Static<typeof args>, Static<typeof result>, LoginEntry>({
  name: 'logs/logins',
  args,
  kind: 'records',
  result,
  record,
  where: 'worker',
  async run({ type = 'success', limit: asked = 0, user }, context) {
    if (user !== undefined && !USER.test(user)) throw new StewardError('login_user_invalid', { user });
    const limit = asked === 0 ? DEFAULT_LIMIT : Math.min(asked, MAX_LIMIT);
    const { file, logins } = sourceOf(context.root, type);
    let count = 0;
    try {
      for await (const login of logins) {
        checkAbort(context.signal);
        if (user !== undefined && login.user !== user) continue;
        if (count === limit) return { truncated: true, limit };
        count += 1;
        await context.emit(entryOf(login));
      }
    } catch (error) {
      throw readFailure(file, error);
    }
    return { truncated: false, limit };
  },
});

interface Source {
  readonly file: string;
  readonly logins: Iterable<Login> | AsyncIterable<Login>;
}

function sourceOf(root: string, type: (typeof LOGIN_TYPES)[number]): Source {
  const layout = layoutFor(process.arch);
  if (type === 'failed') return { file: BTMP, logins: failedLogins(recordsBackwards(join(root, BTMP), layout)) };
  const hasDatabase = !existsSync(join(root, WTMP)) && existsSync(join(root, DATABASE));
  if (hasDatabase) return { file: DATABASE, logins: databaseLogins(join(root, DATABASE)) };
  return { file: WTMP, logins: sessionsOf(recordsBackwards(join(root, WTMP), layout)) };
}

function entryOf({ user, tty, host, login, logout, state }: Login): LoginEntry {
  const whole = { user, tty, host, login: utcTime(login) };
  if (logout === undefined) return { ...whole, logout: null, state };
  // The clock may have been set back in between.
  return { ...whole, logout: utcTime(logout), seconds: Math.max(0, logout - login), state };
}

/** SQLite's errors have words of their own in place of an errno. */
function readFailure(file: string, error: unknown): Error {
  const { code, errstr } = error as { code?: unknown; errstr?: unknown };
  if (code !== 'ERR_SQLITE_ERROR') return systemError('login_records', { file }, error);
  return new StewardError('login_records', { file, reason: String(errstr) }, { cause: error });
}
