/**
 * The login database that takes the place of wtmp on newer hosts (wtmpdb(8)): an SQLite file with one row per session, which is
 * opened for reading alone. The module is loaded when it is needed: most hosts have no such file.
 */
import { accessSync, constants } from 'node:fs';
import { BOOT_TTY, BOOT_USER, type Login } from './login.ts';

/** Values of the column `Type`. */
const BOOT = 1;
const USER = 3;
const MICROSECONDS = 1_000_000n;

const QUERY = `SELECT Type, User, Login, Logout, TTY, RemoteHost FROM wtmp WHERE Type IN (${String(BOOT)}, ${String(USER)}) ORDER BY Login DESC, ID DESC`;

interface Row {
  readonly Type: bigint;
  readonly User: string | null;
  readonly Login: bigint | null;
  readonly Logout: bigint | null;
  readonly TTY: string | null;
  readonly RemoteHost: string | null;
}

/** All logins and boots, newest first. Throws the system error, and an Error with SQLite's words for a file that is no such database. */
export async function* databaseLogins(file: string): AsyncGenerator<Login> {
  accessSync(file, constants.R_OK); // SQLite would only say that it cannot open the file
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const query = database.prepare(QUERY);
    query.setReadBigInts(true);
    let bootedSince = false;
    for (const row of query.iterate() as Iterable<unknown>) {
      const login = loginOf(row as Row, bootedSince);
      bootedSince ||= login.state === 'boot';
      yield login;
    }
  } finally {
    database.close();
  }
}

function loginOf({ Type, User, Login, Logout, TTY, RemoteHost }: Row, bootedSince: boolean): Login {
  const isBoot = Number(Type) === BOOT;
  const ended = Logout === null ? undefined : seconds(Logout);
  const open = bootedSince ? 'crash' : 'open';
  return {
    user: isBoot ? BOOT_USER : (User ?? ''),
    tty: isBoot ? BOOT_TTY : (TTY ?? ''),
    host: RemoteHost ?? '',
    login: seconds(Login ?? 0n),
    logout: ended,
    state: isBoot ? 'boot' : ended === undefined ? open : 'closed',
  };
}

const seconds = (microseconds: bigint): number => Number(microseconds / MICROSECONDS);
