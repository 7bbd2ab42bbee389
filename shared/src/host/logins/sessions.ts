/**
 * Sessions from login records, newest first, as last(1) finds them: reading backwards, the end of a session is known before its
 * beginning. What is told of its end is the first of: the logout or next login on its terminal, the shutdown after it, the next
 * boot, nothing.
 */
import { BOOT_TTY, BOOT_USER, type Login } from './login.ts';
import { RECORD_TYPES, type LoginRecord } from './records.ts';

/** Logins and boots of a stream of records that goes backwards in time. */
export function* sessionsOf(records: Iterable<LoginRecord>): Generator<Login> {
  const history = new History();
  for (const record of records) {
    const login = history.take(record);
    if (login !== undefined) yield login;
  }
}

/** Records of failed logins, each of which stands for itself. */
export function* failedLogins(records: Iterable<LoginRecord>): Generator<Login> {
  for (const { user, line, host, time } of records) {
    yield { user, tty: line, host, login: time, logout: undefined, state: 'failed' };
  }
}

/** What has been read so far, that is: what came later. */
class History {
  /** By terminal, the earliest time after the record at hand at which a session on it was over. */
  readonly #ends = new Map<string, number>();
  /** How the next time that the host went down looks from here. */
  #down: { readonly time: number; readonly clean: boolean } | undefined;

  take(record: LoginRecord): Login | undefined {
    const { type, line, user } = record;
    if (type === RECORD_TYPES.boot || (line === '~' && user === BOOT_USER)) return this.#boot(record);
    if (type === RECORD_TYPES.runLevel) return this.#runLevel(record);
    // Some programs write the end of a session as a login of nobody.
    if (type === RECORD_TYPES.dead || (type === RECORD_TYPES.user && user === '')) return this.#dead(record);
    return type === RECORD_TYPES.user && line !== '' ? this.#login(record) : undefined;
  }

  #boot({ host, time }: LoginRecord): Login {
    const end = this.#down?.clean === true ? this.#down.time : undefined;
    this.#goDown(time, false);
    return { user: BOOT_USER, tty: BOOT_TTY, host, login: time, logout: end, state: 'boot' };
  }

  /** Runlevels 0 and 6 are halt and reboot; systemd writes its shutdown as runlevel 0, under that name. */
  #runLevel({ pid, user, time }: LoginRecord): undefined {
    const level = String.fromCharCode(pid & 0xff);
    if (user === 'shutdown' || level === '0' || level === '6') this.#goDown(time, true);
  }

  #goDown(time: number, clean: boolean): void {
    this.#down = { time, clean };
    this.#ends.clear();
  }

  #dead({ line, time }: LoginRecord): undefined {
    if (line !== '') this.#ends.set(line, time);
  }

  #login({ user, line: tty, host, time: login }: LoginRecord): Login {
    const end = this.#ends.get(tty);
    this.#ends.set(tty, login);
    const session = { user, tty, host, login };
    if (end !== undefined) return { ...session, logout: end, state: 'closed' };
    if (this.#down === undefined) return { ...session, logout: undefined, state: 'open' };
    // Nobody wrote down when the host crashed.
    return this.#down.clean
      ? { ...session, logout: this.#down.time, state: 'down' }
      : { ...session, logout: undefined, state: 'crash' };
  }
}
