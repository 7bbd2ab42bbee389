/**
 * The worker's side of the pool: runs one operation at a time in a thread of its process, with the rights and the descriptors of
 * that process. It opens no path of its own and starts no program.
 */
import { parentPort, type Transferable } from 'node:worker_threads';
import { StewardError } from '../errors.ts';
import type { Guard, ProtectedList } from '../host/guard.ts';
import { makeGuard } from '../host/guarding.ts';
import { settleAfterStart, THREAD } from '../host/settle.ts';
import { subjectOf } from '../host/subjects.ts';
import type { ProgramRunner } from '../host/programs.ts';
import type { AnyOperation, ReportProgress } from '../ops/operation.ts';
import { BEGUN, CANCELLED, WINDOW, type FromWorker, type ToWorker } from './job.ts';
import { assistOperation, runOperation, type OpParts, type Sink } from './run.ts';
import { TeamHelper, TeamLead } from './team.ts';

const NO_PROGRAMS: ProgramRunner = {
  run: () => Promise.reject(new Error('operations in worker threads start no programs')),
};

/** Serves jobs of the pool until the thread is ended. Call once, in the worker's entry file. */
export function serveWorker(operations: readonly AnyOperation[]): void {
  const port = parentPort;
  if (port === null) throw new Error('serveWorker must be called in a worker thread');
  const window = new SendWindow((message, transfer) => port.postMessage(message, transfer));
  port.on('message', (message: ToWorker) => {
    if (message.type === 'ack') window.acknowledge();
    else void answer(operations, message, window);
  });
  settleAfterStart(THREAD);
}

type Send = (message: FromWorker, transfer: Transferable[]) => void;
type Order = Extract<ToWorker, { type: 'run' }>;

async function answer(operations: readonly AnyOperation[], order: Order, window: SendWindow): Promise<void> {
  const { job, invitation } = order;
  try {
    const op = operations.find((candidate) => candidate.name === job.op);
    if (op === undefined) throw new Error(`no such operation in this worker: ${job.op}`);
    const parts = makeParts(order, window);
    const value = await (invitation === undefined
      ? runOperation(op, job.args, parts, window.sink)
      : assistOperation(op, job.args, parts, new TeamHelper(invitation)));
    window.send({ type: 'done', value }, []);
  } catch (error) {
    const wire = error instanceof StewardError ? error.toWire() : null;
    window.send(
      { type: 'failed', error: wire, detail: error instanceof Error ? (error.stack ?? error.message) : String(error) },
      [],
    );
  }
}

function makeParts({ job, control: shared, invitation }: Order, { send }: SendWindow): OpParts {
  const controller = new AbortController();
  const control = new Int32Array(shared);
  const progress: ReportProgress = (done, message) =>
    send({ type: 'progress', done, ...(message === undefined ? {} : { message }) }, []);
  return {
    privileged: job.privileged,
    subject: job.subject === undefined ? undefined : subjectOf(job.subject),
    guard: guardOf(job.guard),
    programs: NO_PROGRAMS,
    upload: undefined,
    root: job.root,
    allowSetid: job.allowSetid,
    network: undefined,
    broker: undefined,
    ...(invitation === undefined
      ? { progress, team: () => new TeamLead((sent) => send({ type: 'invite', invitation: sent }, [sent.port])) }
      : {}),
    get signal(): AbortSignal {
      if (Atomics.load(control, CANCELLED) !== 0) controller.abort();
      return controller.signal;
    },
    onBegin: () => void Atomics.store(control, BEGUN, 1),
  };
}

let lastGuard: Guard | undefined;

/** The guard of the job before, when it is of the same list, as almost always: it knows the protected objects already. */
function guardOf(list: ProtectedList): Guard {
  if (lastGuard === undefined || JSON.stringify(lastGuard.list) !== JSON.stringify(list)) lastGuard = makeGuard(list);
  return lastGuard;
}

/** Lets a few batches be under way and holds the operation back beyond that. */
class SendWindow {
  readonly send: Send;
  #underWay = 0;
  #waiting: (() => void) | undefined;

  constructor(send: Send) {
    this.send = send;
  }

  readonly sink: Sink = async (bytes) => {
    const own = bytes as Uint8Array<ArrayBuffer>; // nothing is shared: operations' bytes were made for this
    this.send({ type: 'bytes', bytes: own }, [own.buffer]);
    this.#underWay++;
    if (this.#underWay >= WINDOW) await new Promise<void>((resolve) => (this.#waiting = resolve));
  };

  acknowledge(): void {
    this.#underWay--;
    this.#waiting?.();
    this.#waiting = undefined;
  }
}
