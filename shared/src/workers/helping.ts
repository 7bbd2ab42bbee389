/**
 * The one thread of a pool that helps with large scans, beside those that have jobs of their own: so help never keeps anybody's job
 * waiting. Who asks while it is busy goes on alone.
 */
import { CANCELLED, type WorkJob } from './job.ts';
import type { Invitation } from './team.ts';
import type { RunOptions, Thread } from './thread.ts';

/** Makes a thread; told when it has ended. */
type MakeThread = (onGone: () => void) => Thread;

/** The help that one job gets. */
export interface Help {
  /** Takes the job's invitation; lets it lie when the helper is busy. */
  readonly accept: (invitation: Invitation) => void;
  /** The job has ended: settles when its helper has too, and uses no descriptor of the job any more. */
  readonly over: () => Promise<void>;
}

export class Helping {
  readonly #make: MakeThread;
  #thread: Thread | undefined;
  #busy = false;

  constructor(make: MakeThread) {
    this.#make = make;
  }

  /** `onFailure` is told when the helper fails by a defect of its own: the job would wait for it in vain. */
  forJob(job: WorkJob, shared: Required<Pick<RunOptions, 'control' | 'signal'>>, onFailure: (failure: Error) => void): Help {
    let helped: Promise<void> = Promise.resolve();
    const sink = (): Promise<void> => Promise.reject(new Error('a helper sends nothing'));
    return {
      accept: (invitation) => {
        if (this.#busy) {
          invitation.port.close();
          return;
        }
        this.#busy = true;
        const running = this.#take().run(job, { ...shared, sink, invitation });
        helped = running.then(
          () => undefined,
          (error: unknown) => {
            if (!shared.signal.aborted) onFailure(error instanceof Error ? error : new Error('a helper failed'));
          },
        );
        void helped.finally(() => (this.#busy = false));
      },
      over: () => {
        // a job that failed tells its helper so
        Atomics.store(new Int32Array(shared.control), CANCELLED, 1);
        return helped;
      },
    };
  }

  /** Ends the thread. */
  async close(reason: Error): Promise<void> {
    await this.#thread?.end(reason);
  }

  #take(): Thread {
    if (this.#thread !== undefined && !this.#thread.gone) return this.#thread;
    const thread = this.#make(() => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    this.#thread = thread;
    return thread;
  }
}
