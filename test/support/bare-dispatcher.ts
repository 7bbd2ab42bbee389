/**
 * The broker's dispatcher with its whole table in the process of a test: real operations, workers and validators, a log in memory, and
 * a connection whose other end is the test. What happens within it can be watched and stopped at any moment. Test only.
 */
import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AuditFeed } from '@steward/shared/audit/feed.ts';
import type { AuditEntry } from '@steward/shared/audit/record.ts';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { args as validators } from '@steward/shared/generated/validators.js';
import { makeGuard } from '@steward/shared/host/guarding.ts';
import { Connection } from '@steward/shared/ipc/connection.ts';
import { FrameDecoder, encodeChunk } from '@steward/shared/ipc/frames.ts';
import { CREDIT_WINDOW, MAX_CHUNK_BYTES } from '@steward/shared/ipc/messages.ts';
import type { FakeEngine } from '@steward/shared/testing/fake-engine.ts';
import { WorkerPool } from '@steward/shared/workers/pool.ts';
import { Dispatcher } from '../../broker/src/dispatch.ts';
import { Sessions } from '../../broker/src/sessions.ts';
import { TABLE } from '../../broker/src/table.ts';
import type { BrokerHome } from './raw-broker.ts';

export interface Sent {
  readonly op: string;
  readonly args: object;
  readonly upload?: Buffer;
}

export class BareDispatcher {
  readonly dispatcher: Dispatcher;
  readonly records: (AuditEntry & { seq: number })[] = [];
  violation: string | undefined;
  readonly #pool = new WorkerPool({ file: new URL('../../broker/src/worker.ts', import.meta.url), nameForRoot: 'test' });
  readonly #waiting = new Map<number, (key: string | undefined) => void>();
  /** What takes the credit that arrives for an upload. */
  readonly #credits = new Map<number, (bytes: number) => void>();
  readonly #decoder = new FrameDecoder();
  readonly #socket: Duplex;
  readonly #connection: Connection;
  readonly #capability: string;
  #next = 0;

  /** As user `ops` of a home. */
  constructor(home: BrokerHome, engine: FakeEngine) {
    const config = loadSnapshot(home.configDir);
    const sessions = new Sessions();
    this.#capability = sessions.open({ token: home.token('ops'), address: '::1', client: 'test' }, config)?.capability ?? '';
    this.#socket = new Duplex({ read: () => undefined, write: (data: Buffer, _encoding, done) => (this.#take(data), done()) });
    const handlers = {
      message: () => undefined,
      violation: (error: Error) => void (this.violation = error.message),
      end: () => undefined,
      closed: () => undefined,
    };
    this.#connection = new Connection(this.#socket as unknown as Socket, { stallMs: 30_000, handlers });
    this.dispatcher = new Dispatcher({
      ...{ table: TABLE, tableDigest: '', validators, connection: this.#connection, sessions },
      audit: { append: (entry) => this.#append(entry) },
      config: () => config,
      guard: makeGuard({ trees: [home.configDir], readOnly: [], pids: [] }),
      pool: this.#pool,
      engine: (signal) => engine.open(signal),
      feed: new AuditFeed(),
      reload: async () => (await nextTurn(), { files: [], changes: [], closed_sessions: 0, needs_restart: [] }),
    });
  }

  /** Starts a call with all of its upload. `answer` resolves to the key of the error, undefined for a result. */
  start({ op, args, upload }: Sent): { readonly id: number; readonly answer: Promise<string | undefined> } {
    const id = (this.#next += 1);
    const answer = new Promise<string | undefined>((done) => this.#waiting.set(id, done));
    const announced = upload === undefined ? {} : { upload_bytes: upload.length };
    const about = { capability: this.#capability, request: `r${id}`, deadline_ms: 60_000 };
    this.dispatcher.call({ type: 'call', id, op, args: args as Record<string, unknown>, ...about, ...announced });
    if (upload !== undefined) this.#send(id, upload);
    return { id, answer };
  }

  /** Ends the worker threads. */
  async close(): Promise<void> {
    await this.#pool.close();
    this.#socket.destroy();
  }

  /** Sends content as far as the window goes, and more whenever credit comes. */
  #send(id: number, upload: Buffer): void {
    let at = 0;
    const send = (credit: number): void => {
      const end = Math.min(at + credit, upload.length);
      while (at < end) {
        const piece = upload.subarray(at, Math.min(at + MAX_CHUNK_BYTES, end));
        this.#socket.push(encodeChunk(id, piece));
        at += piece.length;
      }
      // behind the bytes that are on their way
      if (at === upload.length) setImmediate(() => setImmediate(() => this.#connection.finishIncoming(id)));
    };
    this.#credits.set(id, send);
    send(CREDIT_WINDOW);
  }

  async #append(entry: AuditEntry): Promise<number> {
    await nextTurn();
    return this.records.push({ ...entry, seq: this.records.length + 1 });
  }

  #take(data: Buffer): void {
    this.#decoder.push(data, (frame) => {
      if (frame.kind === 'credit') this.#credits.get(frame.id)?.(frame.bytes);
      if (frame.kind !== 'json') return;
      const message = frame.value as { type: string; id: number; error?: { key: string } };
      if (message.type !== 'result' && message.type !== 'error') return;
      this.#waiting.get(message.id)?.(message.error?.key);
      this.#waiting.delete(message.id);
      this.#credits.delete(message.id);
    });
  }
}
