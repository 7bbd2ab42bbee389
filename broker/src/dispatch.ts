/**
 * The heart of the broker: takes one call from its arrival to its answer. Session, row, decision, upload, intent on record,
 * operation, outcome on record, answer; in this order and no other. A refusal is an answer; a breach of the protocol ends the
 * connection.
 */
import { StewardError, type WireError } from '@steward/shared/errors.ts';
import type { AuditEntry, CallEntry } from '@steward/shared/audit/record.ts';
import { shownMembers, shownResult } from '@steward/shared/audit/shown.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import type { Validate } from '@steward/shared/generated/validators.js';
import type { Connection } from '@steward/shared/ipc/connection.ts';
import { Deadlines } from '@steward/shared/ipc/deadlines.ts';
import { ProtocolError } from '@steward/shared/ipc/frames.ts';
import { InFlight } from '@steward/shared/ipc/in-flight.ts';
import { spoolUpload, type SpooledUpload } from '@steward/shared/ipc/upload.ts';
import { Call, type CallMessage } from './call.ts';
import { engineOf, programsOf, runRow, runsInWorker, type Workshop } from './context.ts';
import { onlyReads } from './grants.ts';
import { judge, type Judged } from './judge.ts';
import type { Row } from '@steward/shared/catalogue/row.ts';
import { say } from './say.ts';
import type { Sessions } from './sessions.ts';

/** Answers of an operation that say "you may not", not "it did not work". */
const POLICY_CODES = [
  'NOT_GRANTED',
  'RESTRICTED',
  'PROTECTED',
  'REFUSED_SYMLINK',
  'REFUSED_HARDLINK',
  'NOT_REGULAR',
  'READ_ONLY',
];

/** UTF-16 units of one sentence in the log, which may hold what the caller typed. */
const MAX_DETAIL = 1024;

export interface Recorder {
  /** Resolves with the record's number when it is durable. */
  append(entry: AuditEntry): Promise<number>;
}

export interface DispatchParts extends Workshop {
  readonly table: readonly Row[];
  readonly tableDigest: string;
  readonly validators: Readonly<Record<string, Validate>>;
  readonly connection: Connection;
  readonly sessions: Sessions;
  readonly audit: Recorder;
  /** The configuration in force. */
  config(): ConfigSnapshot;
}

export class Dispatcher {
  readonly #parts: DispatchParts;
  readonly #rows: ReadonlyMap<string, Row>;
  readonly #calls: InFlight<Call>;
  readonly #deadlines = new Deadlines<Call>((call) => call.expire());
  #shuttingDown = false;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
    this.#rows = new Map(parts.table.map((row) => [row.op.name, row]));
    this.#calls = new InFlight<Call>(parts.connection);
  }

  /** Takes a call; its answer is sent when there is one. Throws ProtocolError for what no frontend of ours sends. */
  call(message: CallMessage): void {
    const row = this.#rows.get(message.op);
    if (row === undefined) throw new ProtocolError(`unknown operation ${JSON.stringify(message.op)}`, message.request);
    const { id, upload_bytes: upload, request } = message;
    if (upload !== undefined && row.op.upload === undefined) throw new ProtocolError(`${row.op.name} takes no upload`, request);
    this.#calls.checkUnused(id, request);
    const incoming = upload === undefined ? undefined : this.#parts.connection.openIncoming(id);
    const call = new Call(message, row, this.#parts.config(), incoming);
    this.#calls.add(id, call);
    this.#deadlines.add(call, call.began + call.limitMs);
    void this.#answer(call);
  }

  cancel(id: number): void {
    this.#calls.find(id)?.stop(new StewardError('cancelled'));
  }

  /** Stops everything that has not begun. */
  stopAll(reason: StewardError): void {
    this.#shuttingDown = true;
    for (const call of this.#calls.all()) call.stop(reason);
  }

  /** Settles when no call is under way. */
  idle(): Promise<void> {
    return this.#calls.empty();
  }

  async #answer(call: Call): Promise<void> {
    const { connection } = this.#parts;
    const { id, request } = call.message;
    try {
      const answer = call.answer(await this.#perform(call));
      if (!connection.send(answer, this.#calls.single)) throw new Error(`the result of ${call.row.op.name} is too large`);
    } catch (error) {
      if (error instanceof ProtocolError) connection.violate(error.during(request));
      else connection.send({ type: 'error', id, error: wireError(error, request) });
    } finally {
      this.#deadlines.delete(call);
      if (call.incoming !== undefined) connection.abandonIncoming(call.incoming);
      if (call.outgoing !== undefined) connection.closeOutgoing(call.outgoing); // it has ended, or its content was stopped
      this.#calls.remove(id);
    }
  }

  /** Decides, and does what is permitted. */
  async #perform(call: Call): Promise<unknown> {
    let judged: Judged | undefined;
    let upload: SpooledUpload | undefined;
    let used: Promise<unknown> | undefined;
    try {
      judged = await this.#judge(call);
      if (call.incoming !== undefined) upload = await spoolUpload(call.incoming, call.message.upload_bytes ?? 0);
    } catch (error) {
      judged?.restricted.subject?.close();
      if (!(error instanceof ProtocolError)) await this.#recordRefusal(call, judged, error);
      throw error;
    }
    try {
      const intent = await this.#recordIntent(call, judged, upload);
      used = this.#run(call, judged, upload);
      return await this.#outcome(call, judged, intent, used);
    } finally {
      this.#release(call, judged, upload, used);
    }
  }

  /** A call that was stopped answers at once, but what it used is in use until the operation notices. */
  #release(call: Call, judged: Judged, upload?: SpooledUpload, used?: Promise<unknown>): void {
    const release = this.#calls.keep(call.message.id);
    const close = (): void => {
      judged.restricted.subject?.close();
      upload?.close();
      release();
    };
    (used ?? Promise.resolve()).then(close, close);
  }

  #judge(call: Call): Promise<Judged> {
    const { message, row, config, signal } = call;
    const session = this.#sessionOf(call);
    call.session = session;
    this.#calls.admit(message.id, session.user);
    const uploads = message.upload_bytes !== undefined;
    const { validators, guard, engine: open } = this.#parts;
    return judge(
      { row, args: message.args, user: session.user, config, uploads, signal },
      { validators, guard, programs: programsOf, engine: (of, stop) => engineOf(of, open, stop) },
    );
  }

  #sessionOf(call: Call): NonNullable<Call['session']> {
    if (this.#shuttingDown) throw new StewardError('shutting_down');
    const session = this.#parts.sessions.use(call.message.capability ?? '');
    if (session === undefined) throw new StewardError('no_session');
    const announced = call.message.upload_bytes ?? 0;
    if (announced > call.row.limits.maxUploadBytes) {
      throw new StewardError('bad_args', { op: call.row.op.name, reason: 'the upload is too large' });
    }
    return session;
  }

  #run(call: Call, { args, restricted }: Judged, upload: SpooledUpload | undefined): Promise<unknown> {
    const { row, config, message, signal } = call;
    const { connection } = this.#parts;
    const user = call.session?.user ?? '';
    const stream = row.op.kind === 'value' ? undefined : connection.openOutgoing(message.id);
    call.outgoing = stream;
    let room = row.limits.maxResultBytes === 0 ? Infinity : row.limits.maxResultBytes;
    const sink = (bytes: Uint8Array, last?: boolean): Promise<void> => {
      room -= bytes.length;
      if (stream !== undefined && room >= 0) return stream.write(bytes, last);
      return Promise.reject(new Error(`${row.op.name} sends more than its row permits`));
    };
    const progress = (done: number, words?: string): void =>
      void connection.send({ type: 'progress', id: message.id, done, message: words });
    const { request } = message;
    const work = { row, args, restricted, user, request, config, upload, signal, progress, onBegin: call.begin };
    if (runsInWorker(work)) call.begin(); // the pool knows whether a change has begun, stops what it can, and is waited for
    return Promise.try(runRow, work, this.#parts, sink);
  }

  /** Waits for the operation and puts on record how it ended. A record that fails now cannot undo anything: it is reported. */
  async #outcome(call: Call, judged: Judged, intent: number | undefined, used: Promise<unknown>): Promise<unknown> {
    let result: unknown;
    let failure: Error | undefined;
    try {
      result = await call.result(used);
    } catch (error) {
      // What breaks because the caller has gone is no defect.
      const reason = call.signal.aborted && !(error instanceof StewardError) ? call.reason : error;
      failure = reason instanceof Error ? reason : new Error(String(reason));
    }
    const code = failure === undefined ? 'OK' : codeOf(failure);
    if (intent !== undefined || POLICY_CODES.includes(code)) {
      const detail = failure === undefined ? shownResult(call.row.reports ?? [], result) : detailOf(failure);
      const told = { ...this.#about(call, judged), code, duration_ms: call.elapsed, ...(detail !== undefined && { detail }) };
      await this.#note(intent === undefined ? { kind: 'refusal', ...told } : { kind: 'outcome', ...told, intent });
    }
    if (failure !== undefined) throw failure;
    return result;
  }

  /** Undefined for reads that the configuration leaves out of the log. */
  #recordIntent(call: Call, judged: Judged, upload?: SpooledUpload): Promise<number> | undefined {
    if (!call.config.daemon.audit.reads && onlyReads(call.row, judged.args, upload !== undefined)) return undefined;
    const content = upload === undefined ? {} : { upload: { size: upload.size, sha256: upload.sha256 } };
    const digests = { table: this.#parts.tableDigest, grants: call.config.grantsDigest };
    return call.recorded(this.#parts.audit.append({ kind: 'intent', ...this.#about(call, judged), ...content, ...digests }));
  }

  async #recordRefusal(call: Call, judged: Judged | undefined, error: unknown): Promise<void> {
    const { path: object } = shownMembers(['path'], call.message.args);
    const typed = typeof object === 'string' ? { object } : {};
    const why = { code: codeOf(error), detail: detailOf(error), grants: call.config.grantsDigest };
    await this.#note({ kind: 'refusal', ...typed, ...this.#about(call, judged), ...why });
  }

  #about({ message, row, session }: Call, judged: Judged | undefined): CallEntry {
    const { user, token, address, client } = session ?? {};
    const args = shownMembers(row.shown, judged?.args ?? message.args);
    const object = judged?.restricted.object === '' ? undefined : judged?.restricted.object;
    const about = { request: message.request, user, token, address, client, op: row.op.name, args, object, rule: judged?.rule };
    return Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined));
  }

  async #note(entry: AuditEntry): Promise<void> {
    await this.#parts.audit.append(entry).catch((error: unknown) => say(`not recorded: ${entry.kind}: ${detailOf(error)}`));
  }
}

const codeOf = (error: unknown): string => (error instanceof StewardError ? error.code : 'INTERNAL');

const detailOf = (error: unknown): string =>
  error instanceof StewardError ? error.message.slice(0, MAX_DETAIL).toWellFormed() : 'internal error';

/** What the caller is told. Anything unforeseen is only named by the request; its details go to the journal. */
function wireError(error: unknown, request: string): WireError {
  if (error instanceof StewardError) return error.toWire();
  say(`request ${request}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return new StewardError('internal', { request }).toWire();
}
