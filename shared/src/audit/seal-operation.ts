/**
 * Making seals in a worker thread of the broker, because a signature costs tens of milliseconds where there is no JIT and no call
 * may wait for it. It stands in no table: only the broker itself can ask for it.
 */
import { operation, type AnyOperation } from '../ops/operation.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { errnoOf, reasonOf, StewardError } from '../errors.ts';
import { writeJournal } from './journal.ts';
import { Sealer, type SealerOptions } from './sealer.ts';
import { makeSeal, openSealKeys, type SealState } from './seal-keys.ts';
import type { SealBody, SealRequest } from './seal.ts';

/** Where the secrets and the log are, absolute, and what to seal; without `request` the keys are only opened. */
export interface SealArguments {
  readonly keys: string;
  readonly log: string;
  readonly request?: SealRequest;
}

const NAME = 'audit/seal';

export const sealOperation: AnyOperation = operation<SealArguments, SealState | SealBody>({
  name: NAME,
  args: {
    type: 'object',
    properties: {
      keys: { type: 'string' },
      log: { type: 'string' },
      request: { type: 'object', properties: {}, required: [], additionalProperties: true },
    },
    required: ['keys', 'log'],
    additionalProperties: false,
  },
  kind: 'value',
  result: { type: 'object', properties: {}, required: [], additionalProperties: true },
  where: 'worker',
  run: ({ keys, log, request }) =>
    Promise.try(() => (request === undefined ? openSealKeys(keys, log) : makeSeal(keys, request))).catch((error: unknown) => {
      if (errnoOf(error) === undefined) throw error;
      throw new StewardError('audit_unavailable', { reason: `${keys}: ${reasonOf(error)}` }); // only such errors keep their words
    }),
});

/** The pool for it. Seals are minutes apart, or a second while much is recorded: the thread stays only for the latter. */
export const SEALER = { size: 1, nameForRoot: 'steward-sealer', idleMs: 3_000 } as const;

/** A sealer whose signatures are made by a pool that serves the operation above; what it announces goes to the journal. */
export function sealerIn(
  pool: Pick<WorkerPool, 'run'>,
  options: Pick<SealArguments, 'keys' | 'log'> & Pick<SealerOptions, 'everySeconds' | 'report'>,
): Sealer {
  const { keys, log, everySeconds, report } = options;
  const rights = { guard: { trees: [], readOnly: [], pids: [] }, privileged: true, allowSetid: false, root: '/' };
  const none = new AbortController().signal;
  const run = (args: SealArguments): Promise<unknown> =>
    pool.run({ op: NAME, args, subject: undefined, ...rights }, () => Promise.resolve(), none);
  return new Sealer({
    everySeconds,
    report,
    announce: writeJournal,
    open: async () => (await run({ keys, log })) as SealState,
    make: async (request) => (await run({ keys, log, request })) as SealBody,
  });
}
