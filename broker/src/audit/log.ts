/**
 * Writes the audit log. No record, no operation: `append` resolves only when the record is durable, and its caller acts only then.
 * Records that wait together are made durable together (one write, one fdatasync). A write that fails is taken back whole, refuses
 * everybody who waited for it, and is tried afresh with the next record, so the log recovers by itself when the disk does.
 *
 * Trusted with: being the only writer. Everything it is given has been checked; it adds number, time and the hash of the chain.
 */
import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { AuditFeed } from '@steward/shared/audit/feed.ts';
import { findAborted } from '@steward/shared/audit/aborted.ts';
import type { AuditEntry, AuditKind } from '@steward/shared/audit/record.ts';
import { findTail } from '@steward/shared/audit/tail.ts';
import { errnoOf, reasonOf, StewardError } from '@steward/shared/errors.ts';
import { AuditDirectory } from '@steward/shared/audit/directory.ts';
import type { Sealer } from '@steward/shared/audit/sealer.ts';
import { Reserve } from '@steward/shared/audit/reserve.ts';
import { SegmentFile } from '@steward/shared/audit/segment-file.ts';
import { markWriter, unmarkWriter } from '@steward/shared/audit/writer-mark.ts';

export interface AuditLogOptions {
  /** Absolute; made with mode 0700 when it is missing. */
  readonly directory: string;
  /** A segment that has reached this size is followed by a new one. */
  readonly segmentBytes: number;
  /** SHA-256 of the table, for the `start` record. */
  readonly tableDigest: string;
  /** Signs the chain; without one the log is not sealed. */
  readonly sealer?: Sealer;
  /** Gets every record that is durable. */
  readonly feed?: Pick<AuditFeed, 'add'>;
}

/** A record that waits to be written. */
interface Pending {
  readonly kind: AuditKind;
  readonly time: string;
  /** The entry as JSON; made when it is given, so that later changes of it do not matter. */
  readonly body: string;
  readonly done: PromiseWithResolvers<number>;
}

/** What only says what has happened already, and so may use up the reserve. */
const REPORTS: readonly AuditKind[] = ['outcome', 'stop', 'reload', 'aborted'];

/** Most records of one write, so that making their lines never holds up the event loop. */
const MAX_GROUP = 512;

/** What a write gives when there is no room: disk full, quota reached, size limit of a file. */
const FULL: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

function pending(entry: AuditEntry): Pending {
  const done = Promise.withResolvers<number>();
  done.promise.catch(() => undefined); // whoever appended sees it; records of the log's own have nobody
  const time = entry.seal?.made ?? new Date().toISOString();
  return { kind: entry.kind, time, body: JSON.stringify(entry), done };
}

function unavailable(error: unknown): StewardError {
  if (error instanceof StewardError) return error;
  return new StewardError('audit_unavailable', { reason: reasonOf(error) }, { cause: error });
}

export class AuditLog {
  readonly #directory: AuditDirectory;
  readonly #options: AuditLogOptions;
  readonly #reserve: Reserve;
  #segment: SegmentFile | undefined;
  #seq = 0;
  #prev = '';
  /** Records that begin the next write: what was recovered, and the start of this run. */
  #lead: Pending[] = [];
  #started = false;
  #queue: Pending[] = [];
  #writing: Promise<void> | undefined;
  #repair: Promise<void> = Promise.resolve();
  /** False while intents of an earlier run may have no `aborted` record yet: then this run ends without `stop`, as that one did. */
  #repaired = true;
  #closing = false;

  private constructor(directory: AuditDirectory, options: AuditLogOptions) {
    this.#directory = directory;
    this.#options = options;
    this.#reserve = new Reserve(directory);
  }

  /**
   * Opens the log and records the start in a new segment. Throws `audit_unavailable` when the directory is not ours alone, or
   * another broker writes there. When only writing fails (disk full), the log is there and refuses every record until it can be
   * written.
   */
  static async open(options: AuditLogOptions): Promise<AuditLog> {
    const directory = AuditDirectory.open(options.directory);
    await markWriter(directory.path, options.directory);
    const log = new AuditLog(directory, options);
    log.#writing = log.#drain();
    await log.#writing;
    return log;
  }

  /**
   * Records an entry; resolves with its sequence number when it is durable, in the order of the calls. Rejects with
   * `audit_unavailable` when it is not in the log.
   */
  async append(entry: AuditEntry): Promise<number> {
    if (this.#closing) throw new StewardError('audit_unavailable', { reason: 'the broker is ending' });
    return this.#enqueue(entry);
  }

  /** Records the end of this run and closes the log. Never rejects: a log that cannot be written simply has no `stop`. */
  async close(): Promise<void> {
    if (this.#closing) return this.#writing;
    this.#closing = true;
    await this.#repair;
    if (this.#segment !== undefined && this.#repaired) await this.#enqueue({ kind: 'stop' }).catch(() => undefined);
    await this.#writing;
    if (this.#segment !== undefined) await this.#options.sealer?.finish();
    await this.#segment?.close();
    unmarkWriter(this.#directory.path);
    this.#directory.close();
  }

  #enqueue(entry: AuditEntry): Promise<number> {
    const one = pending(entry);
    this.#queue.push(one);
    this.#writing ??= this.#drain();
    return one.done.promise;
  }

  /** Writes group after group until nothing waits. The very first group is empty: it records the start. */
  async #drain(): Promise<void> {
    do {
      await turn(); // what has ended meanwhile, and what follows from it, joins the group
      await this.#commit(this.#queue.splice(0, MAX_GROUP));
    } while (this.#queue.length > 0);
    this.#writing = undefined;
  }

  /** Makes one group durable, or refuses all of it; of a group that meets a full disk, the reports are saved by the reserve. */
  async #commit(group: readonly Pending[]): Promise<void> {
    let rest = group;
    try {
      if (!group.every(({ kind }) => REPORTS.includes(kind))) await this.#reserve.ensure();
      return await this.#write(group);
    } catch (error) {
      rest = FULL.includes(errnoOf(error) ?? '') ? group.filter(({ kind }) => REPORTS.includes(kind)) : [];
      for (const { done } of group.filter((one) => !rest.includes(one))) done.reject(unavailable(error));
    }
    if (rest.length === 0) return;
    try {
      await this.#reserve.release();
      await this.#write(rest);
    } catch (error) {
      for (const { done } of rest) done.reject(unavailable(error));
    }
  }

  /** Numbers, chains and writes a group. Number and hash move on only when it is durable. */
  async #write(group: readonly Pending[]): Promise<void> {
    const segment = await this.#current();
    const whole = [...this.#lead, ...group];
    let prev = this.#prev;
    const lines = whole.map(({ time, body }, index) => {
      const line = `{"seq":${this.#seq + index + 1},"time":"${time}","prev":"${prev}",${body.slice(1)}`;
      prev = hash('sha256', line, 'hex');
      return line;
    });
    await segment.write(Buffer.from(`${lines.join('\n')}\n`));
    this.#options.feed?.add(whole.map(({ kind }, index) => ({ seq: this.#seq + index + 1, kind, line: lines[index] ?? '' })));
    for (const { done } of whole) done.resolve((this.#seq += 1));
    this.#prev = prev;
    this.#lead = [];
    this.#options.sealer?.recorded(this.#seq, prev, whole.length);
  }

  /** The segment to write to: a new one at the start, at a new day, at its size, and after one whose end is in doubt. */
  async #current(): Promise<SegmentFile> {
    if (this.#segment === undefined || this.#segment.broken) await this.#begin();
    const segment = this.#segment;
    if (segment === undefined) throw new StewardError('audit_unavailable', { reason: 'no segment' });
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    if (segment.size === 0 || (segment.size < this.#options.segmentBytes && segment.day === today)) return segment;
    this.#segment = await SegmentFile.create(this.#directory, segment.number + 1);
    await segment.close().catch(() => undefined); // all of it is durable already
    this.#options.sealer?.rotated();
    return this.#segment;
  }

  /** Finds the end of the chain and begins a new segment behind it; the first time this is the start of the run. */
  async #begin(): Promise<void> {
    const tail = await findTail(this.#directory.path);
    await this.#segment?.close().catch(() => undefined);
    this.#segment = undefined;
    this.#segment = await SegmentFile.create(this.#directory, tail.number + 1);
    this.#seq = tail.seq;
    this.#prev = tail.prev;
    this.#lead = tail.recovered.map(pending);
    if (this.#started) return;
    this.#started = true;
    this.#lead.push(pending({ kind: 'start', table: this.#options.tableDigest }));
    this.#options.sealer?.begin({ seq: tail.seq, hash: tail.prev, sealed: tail.sealed }, (entry) => this.#enqueue(entry));
    if (!tail.closed) this.#repair = this.#recordAborted(tail.number + 1);
  }

  /** In the background: no call waits for it. What it cannot record, the next start finds again. */
  async #recordAborted(number: number): Promise<void> {
    this.#repaired = false;
    try {
      const entries = await findAborted(this.#directory.path, number, () => this.#closing);
      await Promise.all(entries.map((entry) => this.#enqueue(entry)));
      this.#repaired = !this.#closing;
    } catch {
      return;
    }
  }
}
