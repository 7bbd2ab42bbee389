/**
 * How many users are logged in: user records of utmp(5), or where a host keeps none, the sessions that systemd-logind has
 * (/run/systemd/sessions). Reads public files; blocks for a moment.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../errors.ts';

const UTMP = '/run/utmp';
const SESSIONS = '/run/systemd/sessions';
/** utmp(5): ut_type of a user who is logged in, and where ut_user is. */
const USER_PROCESS = 7;
const USER_OFFSET = 44;
/** sizeof(struct utmp) where times are kept in 32 bits on every architecture, and where they are not (arm64). */
const RECORD_SIZES = process.arch === 'arm64' ? [400, 384] : [384, 400];

/** Counts sessions, not people: who is logged in twice counts twice. */
export function countLoggedIn(root: string): number {
  const utmp = readOrNothing(() => readFileSync(join(root, UTMP)));
  return utmp === undefined || utmp.length === 0 ? countSessions(root) : countUserRecords(utmp);
}

/** Records whose size does not divide the file are those of another architecture. */
export function countUserRecords(utmp: Buffer): number {
  const size = RECORD_SIZES.find((bytes) => utmp.length % bytes === 0) ?? RECORD_SIZES[0] ?? 384;
  let count = 0;
  for (let at = 0; at + size <= utmp.length; at += size) {
    if (utmp.readInt16LE(at) === USER_PROCESS && utmp[at + USER_OFFSET] !== 0) count++;
  }
  return count;
}

/** Files named by the session's id; beside them are FIFOs called `<id>.ref`, which must not be opened. */
function countSessions(root: string): number {
  const names = readOrNothing(() => readdirSync(join(root, SESSIONS))) ?? [];
  const files = names.filter((name) => /^[A-Za-z0-9]+$/.test(name));
  return files.filter((name) => {
    const text = readOrNothing(() => readFileSync(join(root, SESSIONS, name), 'utf8')) ?? '';
    return text.split('\n').includes('CLASS=user');
  }).length;
}

function readOrNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}
