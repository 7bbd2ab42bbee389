/** Which path an operation gets, what is refused before it runs, and where it runs. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { StewardError } from '@steward/shared/errors.ts';
import { makeGuard } from '@steward/shared/host/guarding.ts';
import type { PathSpec } from '@steward/shared/host/subject.ts';
import { operation, type Operation } from '@steward/shared/ops/operation.ts';
import type { WorkJob } from '@steward/shared/workers/pool.ts';
import { LocalWork, type LocalCall } from './local.ts';

const directory = mkdtempSync(join(tmpdir(), 'steward-local-'));
const file = join(directory, 'file');
const link = join(directory, 'link');
writeFileSync(file, 'x');
symlinkSync(file, link);
after(() => rmSync(directory, { recursive: true }));

const spec: PathSpec = { need: 'object', lastLink: 'follow', use: 'read', failure: 'open_file' };

function op(path: PathSpec, where: 'loop' | 'worker' = 'loop'): Operation<Readonly<Record<string, unknown>>> {
  return operation({
    name: 'files/read',
    args: { type: 'object', properties: {}, required: [], additionalProperties: false },
    kind: 'value',
    result: { type: 'null' },
    path,
    where,
    run: (_args, { subject, privileged }) => Promise.resolve([subject?.path, subject?.realPath, privileged]),
  });
}

const jobs: WorkJob[] = [];
const work = new LocalWork({
  pool: { run: (job) => (jobs.push(job), Promise.resolve('from the worker')) },
  programs: { run: () => Promise.reject(new StewardError('program_missing', { program: 'any' })) },
});

function call(of: LocalCall['op'], path: unknown, trees: string[] = []): Promise<unknown> {
  return work.run({
    op: of,
    args: path === undefined ? {} : { path },
    user: 'ops',
    upload: undefined,
    guard: makeGuard({ trees, readOnly: [], pids: [] }),
    network: { deny_private: false, deny: [] },
    sink: () => Promise.resolve(),
    signal: new AbortController().signal,
  });
}

test('the path is resolved as the kernel does, unprivileged, and its fallback where there is none', async () => {
  assert.deepEqual(await call(op(spec), link), [link, file, false]);
  assert.deepEqual(await call(op({ ...spec, fallback: '/' }), undefined), ['/', '/', false]);
  await assert.rejects(call(op(spec), join(directory, 'none')), { key: 'open_file' });
  await assert.rejects(call(op(spec), 'relative'), { key: 'path_not_absolute' });
  await assert.rejects(call(op({ ...spec, noLinks: true }), link), { key: 'symlink_refused' });
});

test('protected objects are refused, also through a link', async () => {
  await assert.rejects(call(op(spec), link, [directory]), { key: 'protected_object', params: { path: link } });
});

test('walks go to a worker with the same object; descriptors are given back', async () => {
  const before = readdirSync('/proc/self/fd').length;
  assert.equal(await call(op(spec, 'worker'), link), 'from the worker');
  assert.deepEqual([jobs[0]?.op, jobs[0]?.privileged, jobs[0]?.subject?.realPath], ['files/read', false, file]);
  for (let i = 0; i < 20; i += 1) await call(op(spec), file);
  assert.equal(readdirSync('/proc/self/fd').length, before);
});
