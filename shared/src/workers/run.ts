/**
 * Runs one operation: makes its context, turns records into JSON lines and asks the guard about the subject, the same way in the
 * frontend, the broker and their worker threads.
 */
import { checkAbort } from '../abort.ts';
import { checkSubject } from '../host/guarding.ts';
import type { Guard } from '../host/guard.ts';
import type { ProgramRunner } from '../host/programs.ts';
import type { AnyOperation, OpContext, ReportProgress } from '../ops/operation.ts';
import type { TeamHelper } from './team.ts';

export { abortError } from '../abort.ts';

/**
 * Takes content or JSON lines; the operation waits for what it returns. The bytes are the receiver's to keep. `last`: nothing comes
 * after them but the end of the operation, at once.
 */
export type Sink = (bytes: Uint8Array, last?: boolean) => Promise<void>;

/** Everything of an operation's context that the runner does not make itself. */
export interface OpParts extends Omit<OpContext, 'emit' | 'emitLines' | 'write' | 'begin'> {
  /** Told when the effect begins, once. */
  readonly onBegin?: () => void;
}

/** Records are collected to batches of about this many characters. */
const BATCH = 64 * 1024;
/** Milliseconds between two reports of progress. */
const PROGRESS_MS = 200;

/**
 * Runs an operation and returns its result (the summary for the kinds `records` and `bytes`). Rejects with StewardError for
 * everything foreseen. It settles only when the operation has stopped using the subject, so that the caller may close it then.
 */
export async function runOperation(op: AnyOperation, args: unknown, parts: OpParts, sink: Sink): Promise<unknown> {
  const subject = parts.subject;
  if (op.path !== undefined && subject !== undefined) checkSubject(parts.guard, subject, op.path.use);
  checkAbort(parts.signal);
  const context = new Context(parts, sink);
  const result: unknown = await op.run(args, context);
  if (context.batch !== undefined) await context.batch.flush(true);
  return result;
}

/** Helps another thread with its operation; nothing is sent but through the team. */
export async function assistOperation(op: AnyOperation, args: unknown, parts: OpParts, team: TeamHelper): Promise<void> {
  const nowhere = (): Promise<void> => Promise.reject(new Error('a helper has no answer of its own'));
  checkAbort(parts.signal);
  await op.assist?.(args, new Context(parts, nowhere), team);
}

class Context implements OpContext<unknown> {
  readonly #parts: OpParts;
  readonly #sink: Sink;
  readonly privileged: boolean;
  readonly subject: OpContext['subject'];
  readonly guard: Guard;
  readonly programs: ProgramRunner;
  readonly upload: OpContext['upload'];
  readonly root: string;
  readonly allowSetid: boolean;
  readonly network: OpContext['network'];
  readonly broker: OpContext['broker'];
  readonly team: OpContext['team'];
  /** Records that are not sent yet; absent until there is one. */
  batch: Batch | undefined;
  #progress: ReportProgress | undefined;
  #begun = false;

  constructor(parts: OpParts, sink: Sink) {
    this.#parts = parts;
    this.#sink = sink;
    this.privileged = parts.privileged;
    this.subject = parts.subject;
    this.guard = parts.guard;
    this.programs = parts.programs;
    this.upload = parts.upload;
    this.root = parts.root;
    this.allowSetid = parts.allowSetid;
    this.network = parts.network;
    this.broker = parts.broker;
    this.team = parts.team;
  }

  // a getter, because a worker thread looks at shared memory each time it is asked
  get signal(): AbortSignal {
    return this.#parts.signal;
  }

  get progress(): ReportProgress | undefined {
    const { progress } = this.#parts;
    return progress === undefined ? undefined : (this.#progress ??= seldom(progress));
  }

  emit(record: unknown): void | Promise<void> {
    return this.emitLines(`${JSON.stringify(record)}\n`);
  }

  emitLines(lines: string): void | Promise<void> {
    this.batch ??= new Batch(this.#sink);
    return this.batch.add(lines);
  }

  write(bytes: Uint8Array, last?: boolean): Promise<void> {
    return this.#sink(new Uint8Array(bytes), last);
  }

  begin(): void {
    if (this.#begun) return;
    checkAbort(this.signal);
    this.#parts.onBegin?.();
    // a worker is cancelled from another thread: look again now that it is known that the effect begins
    checkAbort(this.signal);
    this.#begun = true;
  }
}

/** Lets one report through in a while: walks count every entry. */
function seldom(report: ReportProgress): ReportProgress {
  let next = performance.now() + PROGRESS_MS;
  return (done, message) => {
    const now = performance.now();
    if (now < next) return;
    next = now + PROGRESS_MS;
    report(done, message);
  };
}

/** Collects records as JSON lines. */
class Batch {
  readonly #sink: Sink;
  #text = '';

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  add(lines: string): void | Promise<void> {
    this.#text += lines;
    return this.#text.length < BATCH ? undefined : this.flush();
  }

  async flush(last = false): Promise<void> {
    if (this.#text === '') return;
    const bytes = new TextEncoder().encode(this.#text);
    this.#text = '';
    await this.#sink(bytes, last);
  }
}
