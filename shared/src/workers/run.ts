/**
 * Runs one operation: makes its context, turns records into JSON lines and asks the guard about the subject, the same way in the
 * frontend, the broker and their worker threads.
 */
import { checkAbort } from '../abort.ts';
import { checkSubject } from '../host/guarding.ts';
import type { AnyOperation, OpContext, ReportProgress } from '../ops/operation.ts';
import type { TeamHelper } from './team.ts';

export { abortError } from '../abort.ts';

/** Takes content or JSON lines; the operation waits for what it returns. The bytes are the receiver's to keep. */
export type Sink = (bytes: Uint8Array) => Promise<void>;

/** Everything of an operation's context that the runner does not make itself. */
export interface OpParts extends Omit<OpContext, 'emit' | 'write' | 'begin'> {
  /** Told when the effect begins, once. */
  readonly onBegin?: () => void;
}

/** Records are collected to batches of about this many characters. */
const BATCH = 32 * 1024;
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
  const batch = new Batch(sink);
  const result: unknown = await op.run(args, makeContext(parts, batch, sink));
  await batch.flush();
  return result;
}

/** Helps another thread with its operation; nothing is sent but through the team. */
export async function assistOperation(op: AnyOperation, args: unknown, parts: OpParts, team: TeamHelper): Promise<void> {
  const nowhere = (): Promise<void> => Promise.reject(new Error('a helper has no answer of its own'));
  checkAbort(parts.signal);
  await op.assist?.(args, makeContext(parts, new Batch(nowhere), nowhere), team);
}

function makeContext(parts: OpParts, batch: Batch, sink: Sink): OpContext<unknown> {
  const { privileged, subject, guard, programs, upload, root, allowSetid, network, broker, team } = parts;
  let begun = false;
  return {
    privileged,
    subject,
    guard,
    programs,
    upload,
    root,
    allowSetid,
    network,
    broker,
    // a getter, because a worker thread looks at shared memory each time it is asked
    get signal(): AbortSignal {
      return parts.signal;
    },
    ...(parts.progress === undefined ? {} : { progress: seldom(parts.progress) }),
    ...(team === undefined ? {} : { team }),
    emit: (record) => batch.add(record),
    write: (bytes) => sink(new Uint8Array(bytes)),
    begin(): void {
      if (begun) return;
      checkAbort(parts.signal);
      parts.onBegin?.();
      // a worker is cancelled from another thread: look again now that it is known that the effect begins
      checkAbort(parts.signal);
      begun = true;
    },
  };
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

  add(record: unknown): void | Promise<void> {
    this.#text += `${JSON.stringify(record)}\n`;
    return this.#text.length < BATCH ? undefined : this.flush();
  }

  async flush(): Promise<void> {
    if (this.#text === '') return;
    const bytes = new TextEncoder().encode(this.#text);
    this.#text = '';
    await this.#sink(bytes);
  }
}
