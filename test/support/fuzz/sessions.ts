/**
 * What a frontend sends, as bytes: frames of whole sessions with a call for every operation there is, so that a new operation is
 * fuzzed from the day on which it is added. And what becomes of bytes on a bad day.
 */
import { encodeChunk, encodeCredit, encodeJson } from '@steward/shared/ipc/frames.ts';
import { PROTOCOL } from '@steward/shared/ipc/messages.ts';
import { TABLE_DIGEST } from '@steward/shared/generated/table.ts';
import type { ArgsSchema, Schema } from '@steward/shared/schema.ts';
import type { Random } from './random.ts';

/** What a session needs to know of an operation. */
export interface Callable {
  readonly name: string;
  readonly args: ArgsSchema;
  readonly upload?: string;
}

/** A plain value that fits. */
export function plainValue(schema: Schema | undefined): unknown {
  if (schema === undefined || 'anyOf' in schema) return '/x';
  if (schema.type === 'string') return schema.enum?.[0] ?? '/x';
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  if (schema.type === 'array') return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () => plainValue(schema.items));
  return schema.type === 'boolean';
}

export function plainArgs({ args }: Callable): Record<string, unknown> {
  return Object.fromEntries(args.required.map((name) => [name, plainValue(args.properties[name])]));
}

function json(message: object): Buffer {
  const frame = encodeJson(message);
  if (frame === undefined) throw new Error('larger than a frame');
  return frame;
}

/** The frames of a session that calls one operation: greeting, opening, the call with its upload, credit, cancel, close. */
export function sessionFrames(op: Callable, id: number): Buffer[] {
  const capability = 'ab'.repeat(32);
  const upload = op.upload === undefined ? {} : { upload_bytes: 3 };
  const chunk = encodeChunk(id, Buffer.from('new'));
  return [
    json({ type: 'hello', protocol: PROTOCOL, table: TABLE_DIGEST }),
    json({ type: 'open', id: id + 1, token: 'cd'.repeat(32), address: '127.0.0.1', client: 'fuzz', request: 'r0' }),
    json({ type: 'call', id, capability, op: op.name, args: plainArgs(op), request: 'r1', deadline_ms: 1000, ...upload }),
    ...(op.upload === undefined ? [] : [chunk, json({ type: 'end', id })]),
    encodeCredit(id, 65_536),
    json({ type: 'cancel', id }),
    json({ type: 'close', capability }),
  ];
}

/** Numbers at which length and count fields break. */
const EDGES = [
  0, 1, 4, 5, 8, 9, 0x7f, 0x80, 0xff, 0xffff, 0x10000, 0x10004, 0x100000, 0x100001, 0x100002, 0x7fffffff, 0xffffffff,
];
/** Pieces of JSON that mean something. */
const WORDS = ['{', '}', '[', '"', '\\', ',', ':', 'null', '1e400', '-1', '1.5', '"__proto__":', '\\ud800', '\u0000', '\ufeff'];

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const cut = (bytes: Buffer, from: number, to: number, put: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(to)]);

const MUTATIONS: readonly Mutation[] = [
  (bytes, random) => {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    return bytes;
  },
  (bytes, random) => {
    bytes[random.below(bytes.length)] = random.bits();
    return bytes;
  },
  (bytes, random) => cut(bytes, random.below(bytes.length), bytes.length, Buffer.alloc(0)),
  (bytes, random) => {
    const at = random.below(bytes.length);
    return cut(bytes, at, Math.min(bytes.length, at + 1 + random.below(16)), Buffer.alloc(0));
  },
  (bytes, random) => {
    const at = random.below(bytes.length);
    return cut(bytes, at, at, random.bytes(1 + random.below(16)));
  },
  (bytes, random) => {
    const at = random.below(bytes.length);
    return cut(bytes, at, at, bytes.subarray(at, at + random.below(64)));
  },
  (bytes, random) => {
    const at = random.once(2) ? 0 : random.below(bytes.length);
    const edge = Buffer.alloc(4);
    edge.writeUInt32BE(random.pick(EDGES));
    return cut(bytes, at, at + 4, edge);
  },
  (bytes, random) => {
    const at = random.below(bytes.length);
    return cut(bytes, at, at + random.below(4), Buffer.from(random.pick(WORDS)));
  },
];

/** The same bytes, changed in one to four places. */
export function mutated(original: Buffer, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (let times = 1 + random.below(4); times > 0 && bytes.length > 0; times -= 1) bytes = random.pick(MUTATIONS)(bytes, random);
  return bytes;
}
