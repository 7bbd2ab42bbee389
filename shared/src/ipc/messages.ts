/**
 * The JSON messages between frontend and broker. One connection, frontend first. Every message of the frontend is checked
 * against its schema before it is looked at; a message that does not fit is a violation and closes the connection.
 *
 * Frames: u32 big-endian length (kind and payload), u8 kind (0 JSON, 1 chunk, 2 credit), payload.
 *   chunk  = u32 call id, then at most 64 KiB of bytes (uploads: frontend to broker; results: broker to frontend)
 *   credit = u32 call id, u32 bytes: how much more the receiver of chunks will take for that call
 */
import type { ToolName } from '../catalogue/facts.ts';
import type { UserGrants } from '../config/types.ts';
import type { WireError } from '../errors.ts';
import type { ArgsSchema, Schema } from '../schema.ts';

export const PROTOCOL = 1;
export const MAX_JSON_BYTES = 1024 * 1024;
export const MAX_CHUNK_BYTES = 64 * 1024;
export const CREDIT_WINDOW = 256 * 1024;
export const MAX_ID = 0xffff_fffe;

const id = { type: 'integer', minimum: 1, maximum: MAX_ID } as const;
/** Id of a request to the frontend: the same in its access line, in a failure's `_meta` and in every record. */
const request = { type: 'string', maxLength: 64 } as const;
const capability = { type: 'string', maxLength: 128 } as const;

function message<P extends Record<string, Schema>>(required: readonly string[], properties: P): ArgsSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Schemas of what the frontend may send, by `type`. */
export const FRONTEND_MESSAGES = {
  hello: message(['type', 'protocol', 'table'], {
    type: { type: 'string', enum: ['hello'] },
    protocol: { type: 'integer', minimum: 0, maximum: 65535 },
    table: { type: 'string', maxLength: 64 },
  }),
  open: message(['type', 'id', 'token', 'address', 'client', 'request'], {
    type: { type: 'string', enum: ['open'] },
    id,
    token: { type: 'string', maxLength: 16384 },
    address: { type: 'string', maxLength: 64 },
    client: { type: 'string', maxLength: 256 },
    request,
  }),
  close: message(['type', 'capability'], { type: { type: 'string', enum: ['close'] }, capability }),
  // Without a capability it is a call of nobody, which is refused like one with a capability that is not good any more.
  call: message(['type', 'id', 'op', 'args', 'request', 'deadline_ms'], {
    type: { type: 'string', enum: ['call'] },
    id,
    capability,
    op: { type: 'string', maxLength: 64 },
    args: { type: 'object', properties: {}, required: [], additionalProperties: true },
    request,
    deadline_ms: { type: 'integer', minimum: 0, maximum: 4_294_967_295 },
    upload_bytes: { type: 'integer', minimum: 0, maximum: 67_108_864 },
  }),
  end: message(['type', 'id'], { type: { type: 'string', enum: ['end'] }, id }),
  cancel: message(['type', 'id'], { type: { type: 'string', enum: ['cancel'] }, id }),
  reload: message(['type'], { type: { type: 'string', enum: ['reload'] } }),
  accept: message(['type', 'generation'], { type: { type: 'string', enum: ['accept'] }, generation: id }),
  reject: message(['type', 'generation', 'reason'], {
    type: { type: 'string', enum: ['reject'] },
    generation: id,
    reason: { type: 'string', maxLength: 4096 },
  }),
} as const;

export type FrontendMessage =
  | { type: 'hello'; protocol: number; table: string }
  /** Asks for a session. `address` is the client's address, `client` its self-given name, `request` what made it necessary. */
  | { type: 'open'; id: number; token: string; address: string; client: string; request: string }
  | { type: 'close'; capability: string }
  /** Asks for an operation. `deadline_ms` is how long the caller will wait; `upload_bytes` announces an upload. */
  | {
      type: 'call';
      id: number;
      capability?: string;
      op: string;
      args: Readonly<Record<string, unknown>>;
      request: string;
      deadline_ms: number;
      upload_bytes?: number;
    }
  /** The upload of this call is complete. */
  | { type: 'end'; id: number }
  | { type: 'cancel'; id: number }
  /** Please re-read the configuration (SIGHUP came to the frontend). Needs no right. */
  | { type: 'reload' }
  | { type: 'accept'; generation: number }
  | { type: 'reject'; generation: number; reason: string };

/** What the broker says. The frontend trusts it. */
export type BrokerMessage =
  | {
      type: 'hello';
      protocol: number;
      table: string;
      /** Text and path of daemon.yaml, and certificate and key unless TLS is off. */
      config: { text: string; file: string };
      tls: { cert: string; key: string } | null;
      /** For the frontend's own guard. */
      protected: { trees: readonly string[]; readOnly: readonly string[]; pids: readonly number[] };
    }
  | { type: 'opened'; id: number; session: OpenedSession }
  /** Result of an operation; for `records` and `bytes` it follows the chunks and is the summary. */
  | {
      type: 'result';
      id: number;
      value: unknown;
      /** Milliseconds until the record of the call was durable; absent where none was made. */
      recorded_ms?: number;
    }
  | { type: 'error'; id: number; error: WireError }
  /** How far a call under way has come: a count that grows, and words for it. Only between the call and its answer. */
  | { type: 'progress'; id: number; done: number; message?: string }
  /** A new daemon.yaml, to be accepted or rejected. */
  | { type: 'propose'; generation: number; text: string; file: string }
  /** The proposed configuration is in force; sessions of these tokens are over. */
  | { type: 'commit'; generation: number; closed: readonly { user: string; token: string }[]; report: ReloadReport }
  /** Nothing changes; `reason` is `file:line: reason`. */
  | { type: 'abandon'; generation: number; reason: string };

export interface OpenedSession {
  /** 32 random bytes, hex; good only on this connection. */
  readonly capability: string;
  readonly user: string;
  readonly token: string;
  /** Whether the user has an OS account, not root's, on this host. */
  readonly account: boolean;
  readonly grants: UserGrants;
  /** Milliseconds after which the token must be presented again (its expiry, at most 24 h). */
  readonly valid_ms: number;
}

/** What a reload changed. Rendered by the frontend. */
export interface ReloadReport {
  readonly files: readonly string[];
  readonly changes: readonly string[];
  readonly closed_sessions: number;
  readonly needs_restart: readonly string[];
}

/** The part of a resource grant or tool grant that decides a row. */
export type GrantName = ToolName | `${string}://`;
