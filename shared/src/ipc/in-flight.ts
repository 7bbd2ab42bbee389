/**
 * The calls under way on a connection: which ids are in use, how many may run, and when to read no further requests. Trusted with
 * the bounds that a compromised frontend meets.
 */
import { StewardError } from '../errors.ts';
import type { Connection } from './connection.ts';
import { ProtocolError } from './frames.ts';
import { TransientMap } from '../transient-map.ts';

export const MAX_RUNNING = 32;
export const MAX_RUNNING_PER_USER = 8;
/** Calls without an answer yet (almost all of them refusals that are being recorded) at which reading pauses and goes on. */
const PAUSE_AT = 512;
const RESUME_AT = 256;
/** Cancellations of calls that never were. */
const MAX_STRAY_CANCELS = 1000;
const REMEMBERED = 1024;

export class InFlight<T> {
  readonly #connection: Pick<Connection, 'hold' | 'release'>;
  readonly #calls = new TransientMap<number, T>();
  /** How many of a user's operations have not really ended; also those whose call has its answer. */
  readonly #running = new Map<string, number>();
  #runningInAll = 0;
  /** Whose place a call has taken, as long as nobody else gives it back. */
  readonly #userOf = new Map<number, string>();
  readonly #answered = new Set<number>();
  #strayCancels = 0;
  #waiting: (() => void)[] = [];

  constructor(connection: Pick<Connection, 'hold' | 'release'>) {
    this.#connection = connection;
  }

  /** Throws ProtocolError when the id is in use. */
  checkUnused(id: number, request: string): void {
    if (this.#calls.has(id)) throw new ProtocolError(`call id ${id} is in use`, request);
  }

  add(id: number, call: T): void {
    this.#calls.set(id, call);
    this.#answered.delete(id);
    if (this.#calls.size >= PAUSE_AT) this.#connection.hold('calls');
  }

  /** Gives a call its place among those that run, or throws `busy`. */
  admit(id: number, user: string): void {
    const ofUser = this.#running.get(user) ?? 0;
    if (this.#runningInAll >= MAX_RUNNING || ofUser >= MAX_RUNNING_PER_USER) throw new StewardError('busy');
    this.#running.set(user, ofUser + 1);
    this.#runningInAll += 1;
    this.#userOf.set(id, user);
  }

  /** Leaves the call's place taken until the function it returns is called, once. */
  keep(id: number): () => void {
    const user = this.#takeUser(id);
    return () => this.#giveBack(user);
  }

  /** The call to be cancelled, if it is still there. Throws ProtocolError when too many never were. */
  find(id: number): T | undefined {
    const call = this.#calls.get(id);
    if (call === undefined && !this.#answered.has(id)) {
      this.#strayCancels += 1;
      if (this.#strayCancels > MAX_STRAY_CANCELS) throw new ProtocolError('too many cancellations of unknown calls');
    }
    return call;
  }

  /** The call has its answer. */
  remove(id: number): void {
    this.#calls.delete(id);
    this.#giveBack(this.#takeUser(id));
    this.#answered.add(id);
    if (this.#answered.size > REMEMBERED) this.#forgetOldest();
    if (this.#calls.size < RESUME_AT) this.#connection.release('calls');
  }

  /** True while one call waits for its answer and no other. */
  get single(): boolean {
    return this.#calls.size === 1;
  }

  all(): Iterable<T> {
    return this.#calls.values();
  }

  /** Settles when every call has its answer and every operation has ended. */
  async empty(): Promise<void> {
    if (this.#isEmpty()) return;
    await new Promise<void>((done) => this.#waiting.push(done));
  }

  #forgetOldest(): void {
    const oldest = this.#answered.values().next();
    if (oldest.done !== true) this.#answered.delete(oldest.value);
  }

  #takeUser(id: number): string | undefined {
    const user = this.#userOf.get(id);
    this.#userOf.delete(id);
    return user;
  }

  #giveBack(user: string | undefined): void {
    if (user !== undefined) {
      const left = (this.#running.get(user) ?? 1) - 1;
      if (left > 0) this.#running.set(user, left);
      else this.#running.delete(user);
      this.#runningInAll -= 1;
    }
    this.#wakeIfEmpty();
  }

  #isEmpty(): boolean {
    return this.#calls.size === 0 && this.#runningInAll === 0;
  }

  #wakeIfEmpty(): void {
    if (!this.#isEmpty()) return;
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    for (const done of waiting) done();
  }
}
