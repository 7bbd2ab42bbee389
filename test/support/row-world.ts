/** The broker's dispatcher over rows made for a test, with one session, a log in memory and a connection whose other end is the test. Test only. */
import { createHash } from 'node:crypto';
import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AuditFeed } from '@steward/shared/audit/feed.ts';
import type { AuditEntry } from '@steward/shared/audit/record.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { makeGuard } from '@steward/shared/host/guarding.ts';
import { Connection } from '@steward/shared/ipc/connection.ts';
import { FrameDecoder } from '@steward/shared/ipc/frames.ts';
import { operation, type OpContext } from '@steward/shared/ops/operation.ts';
import { Dispatcher } from '../../broker/src/dispatch.ts';
import { none } from '../../broker/src/restrict.ts';
import type { Row } from '@steward/shared/catalogue/row.ts';
import { Sessions } from '../../broker/src/sessions.ts';

const args = { type: 'object', properties: {}, required: [], additionalProperties: false } as const;
/** What the operation of a row does. */
export type Work = (args: Readonly<Record<string, unknown>>, context: OpContext<unknown>) => Promise<unknown>;

/** A row of the table; `more` changes the row, `op` its operation. */
export function row(name: string, run: Work, more: Partial<Row> = {}, op: object = {}): Row {
  return {
    op: operation({ name, args, kind: 'value', result: { type: 'null' }, where: 'loop', run, ...op }),
    grant: { tool: 'files/create' },
    effect: 'write',
    restriction: none,
    touches: { capabilities: [], programs: [], sockets: [], paths: [] },
    limits: { deadlineSeconds: 60, maxResultBytes: 0, maxUploadBytes: 1000 },
    cancel: 'finishes',
    shown: ['shown', 'key'],
    ...more,
  };
}

const SALT = Buffer.alloc(16);
const hash = createHash('sha256').update(SALT).update('token').digest('hex');
const user = (name: string, token: string) => ({
  name,
  account: '',
  tokens: [{ id: 't', salt: SALT.toString('hex'), hash: createHash('sha256').update(SALT).update(token).digest('hex') }],
});
const GRANT = { allowed: true, line: 4 };

/** A dispatcher with all that it stands on, and what came of it so far. */
export interface World {
  readonly dispatcher: Dispatcher;
  readonly connection: Connection;
  readonly records: AuditEntry[];
  readonly answers: Map<number, { value?: unknown; error?: { key: string; params: object } }>;
  readonly chunks: Buffer[];
  readonly capability: string;
  violation: string | undefined;
  /** Makes the log fail from now on. */
  auditFails: boolean;
  /** Milliseconds that a record takes from now on. */
  auditMs: number;
  daemon: { reads: boolean; read_only: boolean };
  call(op: string, more?: object): number;
  answer(id: number): Promise<{ value?: unknown; error?: { key: string; params: object } }>;
  feed(bytes: Buffer): void;
}

/** The session is that of user `ops`, who is granted the tool of every row unless `grants` says otherwise. */
export function world(rows: readonly Row[], grants: object = { 'files/create': GRANT }): World {
  const records: AuditEntry[] = [];
  const answers: World['answers'] = new Map();
  const chunks: Buffer[] = [];
  const decoder = new FrameDecoder();
  const socket = new Duplex({
    read: () => undefined,
    write(data: Buffer, _encoding, done) {
      decoder.push(data, (frame) => {
        if (frame.kind === 'chunk') chunks.push(Buffer.from(frame.bytes));
        else if (frame.kind === 'json') {
          const message = frame.value as { id: number; value?: unknown; error?: { key: string; params: object } };
          answers.set(message.id, message);
        }
      });
      done();
    },
  });
  const connection = new Connection(socket as unknown as Socket, {
    stallMs: 100,
    handlers: {
      message: () => undefined,
      violation: (error) => (it.violation = error.message),
      end: () => undefined,
      closed: () => undefined,
    },
  });
  const sessions = new Sessions();
  const config = (): ConfigSnapshot =>
    ({
      users: [user('ops', 'token'), user('other', 'second')],
      grants: { ops: { tools: grants, resources: {} }, other: { tools: grants, resources: {} } },
      grantsDigest: hash,
      daemon: {
        tools: {},
        limits: { timeout_seconds: 30, max_sessions: 10 },
        catalogue: { read_only: it.daemon.read_only },
        audit: { reads: it.daemon.reads },
      },
    }) as unknown as ConfigSnapshot;
  const audit = {
    append: async (entry: AuditEntry) => {
      if (it.auditMs > 0) await sleep(it.auditMs);
      if (it.auditFails) throw new StewardError('audit_unavailable', { reason: 'disk full' });
      return records.push(entry);
    },
  };
  const validators = Object.fromEntries(
    rows.map((one) => [one.op.name, (value: unknown) => !Object.hasOwn(value as object, 'bad')]),
  );
  const guard = makeGuard({ trees: [], readOnly: [], pids: [] });
  const parts = { table: rows, tableDigest: 'd', validators, connection, sessions, audit, config, guard };
  const reload = () => Promise.reject(new Error('not here'));
  const pool = { run: () => Promise.reject(new Error('not here')) };
  const engine = (): Promise<never> => Promise.reject(new Error('not here'));
  let next = 0;
  const it: World = {
    dispatcher: new Dispatcher({ ...parts, reload, pool, engine, feed: new AuditFeed() }),
    connection,
    records,
    answers,
    chunks,
    capability: '',
    violation: undefined,
    auditFails: false,
    auditMs: 0,
    daemon: { reads: true, read_only: false },
    call(op, more = {}) {
      const id = (next += 1);
      const message = {
        type: 'call',
        id,
        capability: it.capability,
        op,
        args: {},
        request: `r${id}`,
        deadline_ms: 30_000,
        ...more,
      };
      it.dispatcher.call(message as Parameters<Dispatcher['call']>[0]);
      return id;
    },
    async answer(id) {
      for (let tries = 0; !answers.has(id); tries += 1) {
        if (tries > 1000) throw new Error(`no answer to ${id}`);
        await sleep(2);
      }
      return answers.get(id) ?? {};
    },
    feed: (bytes) => socket.push(bytes),
  };
  const opened = sessions.open({ token: 'token', address: '::1', client: 'test' }, config());
  return Object.assign(it, { capability: opened?.capability ?? '' });
}

/** Kinds of all records so far, outcomes and refusals with their code. */
export const kinds = (it: World): string[] => it.records.map((record) => `${record.kind} ${record.code ?? ''}`.trim());
export const done: Work = () => Promise.resolve('done');
export const hangs: Work = () => new Promise(() => undefined);
