/**
 * The calls under way on a connection: which ids are in use, how many may run, and when to read no further requests. Trusted with
 * the bounds that a compromised frontend meets.
 */
import { StewardError } from '../errors.ts';
import type { Connection } from './connection.ts';
import { ProtocolError } from './frames.ts';

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
  readonly #calls = new Map<number, T>();
  /** User by call id; an entry stays until the operation has really ended. */
  readonly #running = new Map<object, string>();
  readonly #byId = new Map<number, object>();
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
    let ofUser = 0;
    for (const other of this.#running.values()) if (other === user) ofUser += 1;
    if (this.#running.size >= MAX_RUNNING || ofUser >= MAX_RUNNING_PER_USER) throw new StewardError('busy');
    const slot = {};
    this.#running.set(slot, user);
    this.#byId.set(id, slot);
  }

  /** Leaves the call's place taken until the function it returns is called. */
  keep(id: number): () => void {
    const slot = this.#byId.get(id);
    this.#byId.delete(id);
    return () => {
      if (slot !== undefined) this.#running.delete(slot);
      this.#wakeIfEmpty();
    };
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
    this.keep(id)();
    this.#answered.add(id);
    const oldest = this.#answered.values().next();
    if (this.#answered.size > REMEMBERED && oldest.done !== true) this.#answered.delete(oldest.value);
    if (this.#calls.size < RESUME_AT) this.#connection.release('calls');
  }

  all(): Iterable<T> {
    return this.#calls.values();
  }

  /** Settles when every call has its answer and every operation has ended. */
  async empty(): Promise<void> {
    if (this.#isEmpty()) return;
    await new Promise<void>((done) => this.#waiting.push(done));
  }

  #isEmpty(): boolean {
    return this.#calls.size === 0 && this.#running.size === 0;
  }

  #wakeIfEmpty(): void {
    if (!this.#isEmpty()) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done();
  }
}
