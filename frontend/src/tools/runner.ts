/**
 * Runs operations for tools and resources, here or in the broker, and keeps what they give until the answer is out. Which side
 * runs an operation is decided by the caller of this file; nothing here permits anything.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { checkAbort } from '@steward/shared/abort.ts';
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import type { Guard } from '@steward/shared/host/guard.ts';
import { policyFor } from '@steward/shared/host/network-policy.ts';
import { Spool } from '@steward/shared/host/spool.ts';
import type { AnyOperation, Upload } from '@steward/shared/ops/operation.ts';
import type { Sink } from '@steward/shared/workers/run.ts';
import { LineReader, parsedLines } from '../render/batches.ts';
import { AT_ONCE } from '../next-turn.ts';
import type { ProgressSink } from '../rpc/dispatcher.ts';
import type { Caller } from '../session/caller.ts';
import type { LocalWork } from '../local/local.ts';
import { underDeadline } from './deadline.ts';
import type { Outcome } from './tool.ts';

/** What is wrong with arguments that an operation is about to get, or undefined. Made from the operations' schemas. */
export type JudgeArguments = (op: string, args: unknown) => string | undefined;

export interface RunnerServices {
  readonly local: LocalWork;
  readonly guard: () => Guard;
  readonly judge: JudgeArguments;
}

/** One call's runs: what they spooled is kept together and given back together. */
export interface RunContext {
  readonly caller: Caller;
  readonly request: string;
  readonly signal: AbortSignal;
  readonly progress?: ProgressSink | undefined;
  /** Time limit of one run in seconds. */
  readonly seconds: number;
  /** Seconds beyond the limit that this side waits for an operation which knows the limit itself. */
  readonly patience?: number;
  /** The configuration that this call sees. */
  readonly config: DaemonConfig;
}

export interface Run {
  readonly op: AnyOperation;
  readonly args: Readonly<Record<string, unknown>>;
  /** Content of the operation's upload argument. */
  readonly content?: string | undefined;
  readonly side: 'local' | 'root';
  /** It changes nothing: as root it may be run again when the broker dies. */
  readonly repeatable: boolean;
}

const CHUNK = 64 * 1024;

export class Runner {
  readonly #services: RunnerServices;
  readonly #context: RunContext;
  readonly #spools: Spool[] = [];
  /** Bytes of records that were taken and are not in a spool. */
  #held = 0;

  constructor(services: RunnerServices, context: RunContext) {
    this.#services = services;
    this.#context = context;
  }

  /** Bytes that wait, in spools or with whoever took records. */
  get weight(): number {
    return this.#spools.reduce((sum, spool) => sum + spool.size, this.#held);
  }

  /**
   * Runs one operation to its end. What `take` makes of its records, which it gets meanwhile, is kept in their place. Rejects with
   * StewardError for everything foreseen.
   */
  async run(run: Run, take?: (records: readonly never[]) => string | undefined): Promise<Outcome<never, never>> {
    const wrong = this.#services.judge(run.op.name, run.args);
    if (wrong !== undefined) throw new StewardError('bad_args', { op: run.op.name, reason: wrong });
    const spool = new Spool();
    this.#spools.push(spool);
    const { seconds, patience = 0 } = this.#context;
    const sink = take === undefined ? (bytes: Uint8Array) => spool.append(bytes) : this.#taking(take, spool);
    const result = await underDeadline(seconds + patience, this.#context.signal, (signal) =>
      run.side === 'root' ? this.#asRoot(run, sink, signal) : this.#here(run, sink, signal),
    );
    return {
      result: result as never,
      records: () => parsedLines<never>(() => spool.chunks()),
      bytes: () => spool.chunks(),
    };
  }

  #taking(take: (records: readonly never[]) => string | undefined, spool: Spool): Sink {
    const reader = new LineReader<never>();
    return async (bytes) => {
      const records = reader.take(bytes);
      const kept = records.length === 0 ? undefined : take(records);
      if (kept === undefined) this.#held += bytes.length;
      else await spool.append(Buffer.from(`${kept}\n`));
    };
  }

  /** Gives memory and temporary files back. */
  close(): void {
    for (const spool of this.#spools) spool.close();
  }

  #here(run: Run, sink: Sink, signal: AbortSignal): Promise<unknown> {
    const { content } = run;
    if (content === undefined) return this.#locally(run, undefined, sink, signal);
    return uploadOf(content, signal).then((upload) => this.#locally(run, upload, sink, signal));
  }

  #locally({ op, args }: Run, upload: Upload | undefined, sink: Sink, signal: AbortSignal): Promise<unknown> {
    const { caller, config, progress } = this.#context;
    const network = policyFor(op.name, caller.grants, config);
    const guard = this.#services.guard();
    return this.#services.local.run({ op, args, user: caller.user, upload, guard, network, sink, signal, progress });
  }

  #asRoot(run: Run, sink: Sink, signal: AbortSignal): Promise<unknown> {
    const { content } = run;
    if (content === undefined) return this.#byBroker(run, undefined, sink, signal);
    return bytesOf(content, signal).then((upload) => this.#byBroker(run, upload, sink, signal));
  }

  #byBroker({ op, args, repeatable }: Run, upload: Buffer | undefined, sink: Sink, signal: AbortSignal): Promise<unknown> {
    const { caller, request, seconds, progress } = this.#context;
    return caller.root({ op: op.name, args, request, deadlineMs: seconds * 1000, upload, repeatable, sink, signal, progress });
  }
}

/** The message that it came in has just been parsed. */
async function bytesOf(content: string, signal: AbortSignal): Promise<Buffer> {
  if (content.length > AT_ONCE) await setImmediate();
  checkAbort(signal);
  return Buffer.from(content);
}

async function uploadOf(content: string, signal: AbortSignal): Promise<Upload> {
  const bytes = await bytesOf(content, signal);
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    if (at > 0) await setImmediate();
    hash.update(bytes.subarray(at, at + AT_ONCE));
  }
  return { size: bytes.length, sha256: hash.digest('hex'), chunks: () => piecesOf(bytes) };
}

// eslint-disable-next-line @typescript-eslint/require-await -- an upload is read the same way wherever it comes from
async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}
