/** Proves that worker threads answer, are stopped, die and are replaced as they should. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StewardError } from '../errors.ts';
import { ticketOf } from '../host/subjects.ts';
import { resolveAsKernel } from '../host/resolve.ts';
import { filesChmod } from '../ops/files/chmod.ts';
import { filesFind } from '../ops/files/find.ts';
import { failsWith } from '../testing/context.ts';
import { runOp } from '../testing/operations.ts';
import { fillTree, openDescriptors, withDirectory } from '../testing/tree.ts';
import type { WorkJob } from './job.ts';
import { eventually } from '../../../test/support/pair.ts';
import { WorkerPool } from './pool.ts';

const FILE = new URL('../testing/worker.ts', import.meta.url);
const pool = new WorkerPool({ file: FILE, nameForRoot: 'test-worker' });
after(() => pool.close());

const GUARD = { trees: [], readOnly: [], pids: [] };
const job = (name: string, args: unknown = {}, more: Partial<WorkJob> = {}): WorkJob => ({
  op: name.includes('/') ? name : `test/${name}`,
  args,
  subject: undefined,
  guard: GUARD,
  privileged: false,
  allowSetid: false,
  root: '/',
  ...more,
});
const signal = (): AbortSignal => new AbortController().signal;
const drop = (): Promise<void> => Promise.resolve();

async function collect(work: WorkJob, using = pool): Promise<{ result: unknown; text: string }> {
  const pieces: Uint8Array[] = [];
  const result = await using.run(work, (bytes) => Promise.resolve(void pieces.push(bytes)), signal());
  return { result, text: Buffer.concat(pieces).toString() };
}

test('records arrive complete and in order, the result after them', async () => {
  const { result, text } = await collect(job('count', { count: 20_000 }));
  assert.deepEqual(result, { count: 20_000 });
  assert.equal(text, Array.from({ length: 20_000 }, (_, index) => `{"index":${String(index)}}\n`).join(''));
});

test('a slow receiver holds the operation back', async () => {
  let received = 0;
  let most = 0;
  const big = job('count', { count: 200_000 });
  const begin = process.memoryUsage().arrayBuffers;
  await pool.run(
    big,
    async (bytes) => {
      received += bytes.byteLength;
      most = Math.max(most, process.memoryUsage().arrayBuffers - begin);
      await sleep(1);
    },
    signal(),
  );
  assert.ok(received > 2_500_000);
  assert.ok(most < 1_500_000, `${String(most)} bytes were waiting`);
});

test('an operation answers the same here and in a worker, on the descriptors of this thread', () =>
  withDirectory(async (root) => {
    fillTree(root, 13, 200);
    const path = filesFind.path;
    assert.ok(path !== undefined);
    const subject = resolveAsKernel(root, path);
    const { text } = await collect(job('files/find', { path: root }, { subject: ticketOf(subject) }));
    subject.close();
    const { bytes } = await runOp(filesFind, { path: root });
    assert.equal(text, bytes.toString());
  }));

test('refusals cross with their parameters, defects as defects', async () => {
  await assert.rejects(collect(job('refuse')), failsWith('no_such_user', { name: 'x' }));
  await assert.rejects(collect(job('defect')), (error) => !(error instanceof StewardError) && /a defect/.test(String(error)));
  await assert.rejects(collect(job('unknown')), (error) => !(error instanceof StewardError));
  const guarded = job('files/find', { path: '/etc' }, { guard: { trees: ['/etc'], readOnly: [], pids: [] } });
  const subject = resolveAsKernel('/etc', { need: 'object', lastLink: 'object', use: 'read', failure: 'read_directory' });
  await assert.rejects(collect({ ...guarded, subject: ticketOf(subject) }), failsWith('protected_object', { path: '/etc' }));
  subject.close();
});

test('a thread that dies fails its own job and no other', async () => {
  const long = collect(job('count', { count: 100_000 }));
  await assert.rejects(collect(job('exit')), /status 3/);
  await assert.rejects(collect(job('uncaught')), (error) => error instanceof Error && !(error instanceof StewardError));
  assert.deepEqual((await long).result, { count: 100_000 });
  assert.deepEqual((await collect(job('count', { count: 3 }))).result, { count: 3 });
});

async function abortAfter(milliseconds: number, work: WorkJob, reason?: Error): Promise<{ error: unknown; took: number }> {
  const controller = new AbortController();
  await collect(job('count', { count: 1 })); // so that a thread is there
  const begin = performance.now();
  const timer = setTimeout(() => controller.abort(reason), milliseconds);
  const error: unknown = await pool.run(work, drop, controller.signal).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  clearTimeout(timer);
  return { error, took: performance.now() - begin };
}

test('a job that does not listen is ended with its thread, and the reason is the signal’s', async () => {
  const reason = new StewardError('timeout', { seconds: 1 });
  const stuck = await abortAfter(50, job('stuck'), reason);
  assert.equal(stuck.error, reason);
  assert.ok(stuck.took < 1500, String(stuck.took));
  const obedient = await abortAfter(50, job('obedient'));
  assert.ok(failsWith('cancelled')(obedient.error) && obedient.took < 1000);
});

test('a change that has begun is finished', async () => {
  const controller = new AbortController();
  const running = pool.run(
    job('change'),
    () => {
      controller.abort();
      return Promise.resolve();
    },
    controller.signal,
  );
  assert.deepEqual(await running, { finished: true, aborted: true });
});

test('a recursive change that is stopped ends with the entry at hand', { timeout: 60_000 }, () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/d`);
    for (let index = 0; index < 5000; index++) writeFileSync(`${root}/d/${String(index)}`, '', { mode: 0o600 });
    const path = filesChmod.path;
    assert.ok(path !== undefined);
    const subject = resolveAsKernel(`${root}/d`, path);
    const controller = new AbortController();
    let records = '';
    const running = pool.run(
      job('files/chmod', { path: `${root}/d`, mode: 'g+r', recursive: true }, { subject: ticketOf(subject) }),
      (bytes) => {
        records += Buffer.from(bytes).toString();
        controller.abort();
        return Promise.resolve();
      },
      controller.signal,
    );
    await assert.rejects(running, failsWith('cancelled'));
    subject.close();
    const changed = execFileSync('find', [`${root}/d`, '-type', 'f', '-perm', '640', '-printf', '.']).length;
    assert.ok(changed > 0 && changed < 5000, String(changed));
    const told = records.split('\n').filter((line) => line !== '').length;
    assert.ok(told <= changed + 1, 'nothing was told that was not done');
  }),
);

test('a receiver that fails ends the job', async () => {
  const failure = new Error('gone');
  await assert.rejects(
    pool.run(job('count', { count: 100_000 }), () => Promise.reject(failure), signal()),
    failure,
  );
  assert.deepEqual((await collect(job('count', { count: 3 }))).result, { count: 3 });
});

test('more jobs than threads wait their turn; one that waits can be cancelled', async () => {
  const small = new WorkerPool({ file: FILE, size: 1, nameForRoot: 'small' });
  const controller = new AbortController();
  const jobs = [1, 2, 3].map((count) => collect(job('count', { count }), small));
  const waiting = small.run(job('count', { count: 9 }), drop, controller.signal);
  controller.abort();
  await assert.rejects(waiting, failsWith('cancelled'));
  assert.deepEqual(
    (await Promise.all(jobs)).map(({ result }) => result),
    [{ count: 1 }, { count: 2 }, { count: 3 }],
  );
  const crashed = [job('exit'), job('count', { count: 5 })].map((work) => collect(work, small).catch(() => 'failed'));
  assert.deepEqual((await Promise.all(crashed)).at(-1), {
    result: { count: 5 },
    text: '{"index":0}\n{"index":1}\n{"index":2}\n{"index":3}\n{"index":4}\n',
  });
  const stuck = assert.rejects(collect(job('stuck'), small), failsWith('shutting_down'));
  await sleep(100);
  await small.close();
  await stuck;
  await assert.rejects(collect(job('count'), small), failsWith('shutting_down'));
});

test('a thread that has nothing to do ends, and the next job gets another', async () => {
  const restless = new WorkerPool({ file: FILE, nameForRoot: 'restless', idleMs: 50 });
  const threads = (): number =>
    execFileSync('ps', ['-L', '-o', 'comm=', '-p', String(process.pid)], { encoding: 'utf8' }).split('restless').length - 1;
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual((await collect(job('count', { count: 2 }), restless)).result, { count: 2 });
    await eventually(() => threads() === 0);
  }
  const busy = collect(job('count', { count: 200_000 }), restless);
  await eventually(() => threads() === 1);
  assert.deepEqual((await busy).result, { count: 200_000 }, 'who works is left to work');
  await restless.close();
});

test('nobody gets all threads, and who waits for a second one holds up nobody else', async () => {
  const shared = new WorkerPool({ file: FILE, size: 2, nameForRoot: 'shared' });
  const count = (owner: string, size: number) => collect(job('count', { count: size }, { owner }), shared);
  const controller = new AbortController();
  const greedy = [1, 2, 3].map(() =>
    shared.run(job('obedient', {}, { owner: 'a' }), drop, controller.signal).catch(() => 'stopped'),
  );
  assert.deepEqual((await count('b', 2)).result, { count: 2 });
  assert.deepEqual(
    (await Promise.all([count('b', 3), count('c', 4)])).map(({ result }) => result),
    [{ count: 3 }, { count: 4 }],
  );
  controller.abort();
  assert.deepEqual(await Promise.all(greedy), ['stopped', 'stopped', 'stopped']);
  assert.deepEqual((await count('a', 5)).result, { count: 5 });
  await shared.close();
});

test('descriptors of a thread that was ended are closed', async () => {
  await abortAfter(10, job('count', { count: 1 }));
  const before = openDescriptors();
  await abortAfter(300, job('descriptors'));
  await collect(job('count', { count: 1 }));
  assert.ok(openDescriptors() < before + 20, `${String(openDescriptors())} after ${String(before)}`);
});

test('an idle pool does not keep the process, and works under the flags of the broker', () =>
  withDirectory((root) => {
    const script = `
      import { WorkerPool } from ${JSON.stringify(new URL('./pool.ts', import.meta.url).href)};
      const pool = new WorkerPool({ file: new URL(${JSON.stringify(FILE.href)}), nameForRoot: 'x' });
      const job = ${JSON.stringify(job('refuse'))};
      await pool.run(job, async () => undefined, new AbortController().signal).catch((error) => console.log(error.message));
    `;
    writeFileSync(`${root}/main.mjs`, script);
    const flags = ['--frozen-intrinsics', '--disable-proto=delete', '--disallow-code-generation-from-strings', '--no-addons'];
    const args = [...flags, '--disable-warning=ExperimentalWarning', `${root}/main.mjs`];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { timeout: 20_000, encoding: 'utf8' });
    assert.deepEqual([status, stdout], [0, 'no such user: "x"\n'], stderr);
  }));
