/** For unit tests alone: a worker thread with operations that behave well and badly. */
import { checkAbort } from '../abort.ts';
import { StewardError } from '../errors.ts';
import { OPERATIONS } from '../ops/index.ts';
import { operation, type OpContext } from '../ops/operation.ts';
import { serveWorker } from '../workers/serve.ts';
import type { TeamHelper } from '../workers/team.ts';

const args = {
  type: 'object',
  properties: { count: { type: 'integer' }, fails: { type: 'boolean' } },
  required: [],
  additionalProperties: false,
} as const;
const result = { type: 'object', properties: {}, required: [], additionalProperties: true } as const;

interface Args {
  readonly count?: number;
  readonly fails?: boolean;
}
type Context = OpContext<{ index: number }>;
type Run = (args: Args, context: Context) => Promise<unknown>;

function make(name: string, run: Run) {
  return operation<Args, unknown, { index: number }>({
    name: `test/${name}`,
    args,
    kind: 'records',
    result,
    where: 'worker',
    run,
  });
}

function spin(until: () => boolean): void {
  while (!until()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

serveWorker([
  ...OPERATIONS,
  make('count', async ({ count = 0 }, context) => {
    for (let index = 0; index < count; index++) await context.emit({ index });
    return { count };
  }),
  {
    // waits until it is helped, and tells what the helper was given; with `fails` it goes away while the helper waits
    ...make('helped', async ({ fails = false }, context) => {
      const team = context.team?.();
      if (team === undefined) throw new Error('there is no team');
      while (!team.isAsked) {
        await new Promise((done) => setImmediate(done));
        checkAbort(context.signal);
      }
      if (fails) {
        team.close();
        throw new TypeError('a defect of the lead');
      }
      team.give(['a', 'b']);
      await team.next();
      const parts = await Array.fromAsync(team.reports());
      team.close();
      return { parts };
    }),
    assist: async ({ count = 0 }: Args, context: Context, team: TeamHelper) => {
      if (count > 0) throw new TypeError('a defect of the helper');
      const given = await team.join();
      await team.next();
      team.report(given, () => checkAbort(context.signal));
      team.complete();
      team.close();
    },
  },
  make('refuse', () => Promise.reject(new StewardError('no_such_user', { name: 'x' }))),
  make('defect', () => Promise.reject(new TypeError('a defect'))),
  make('exit', () => {
    process.exit(3);
  }),
  make('uncaught', () => {
    setImmediate(() => {
      throw new Error('uncaught');
    });
    return new Promise(() => undefined);
  }),
  // never looks at the signal and never gives the thread back
  make('stuck', () => {
    for (;;) spin(() => false);
  }),
  make('obedient', (_args, context) => {
    spin(() => context.signal.aborted);
    throw new StewardError('cancelled');
  }),
  // an effect that takes its time once begun
  make('change', async (_args, context) => {
    context.begin();
    await context.emit({ index: 0 });
    await context.write(new Uint8Array(0));
    const end = Date.now() + 600;
    spin(() => Date.now() > end);
    return { finished: true, aborted: context.signal.aborted };
  }),
  make('descriptors', async () => {
    const { openSync } = await import('node:fs');
    for (let index = 0; index < 20; index++) openSync('/etc/passwd', 'r');
    for (;;) spin(() => false);
  }),
]);
