/** Proves which objects are protected, however they are reached. */
import assert from 'node:assert/strict';
import { linkSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { failsWith } from '../testing/context.ts';
import { withDirectory } from '../testing/tree.ts';
import type { Guard } from './guard.ts';
import { checkSubject, makeGuard } from './guarding.ts';
import { resolveAsKernel } from './resolve.ts';
import { walkPath } from './walk.ts';

const SPEC = { need: 'object', lastLink: 'object', use: 'read', failure: 'open_file' } as const;

function judge(guard: Guard, path: string, use: 'read' | 'write' = 'read'): boolean {
  const subject = walkPath(path, { ...SPEC, need: 'any', rootMayNameLink: true });
  try {
    return guard.isProtected({ realPath: subject.realPath, stat: subject.object?.stat }, use);
  } finally {
    subject.close();
  }
}

test('trees are protected with everything below, by whole components', () =>
  withDirectory((root) => {
    mkdirSync(`${root}/etc/deep`, { recursive: true });
    mkdirSync(`${root}/etcetera`);
    const guard = makeGuard({ trees: [`${root}/etc`], readOnly: [`${root}/etcetera`], pids: [] });
    for (const path of ['etc', 'etc/deep', 'etc/deep/missing']) assert.ok(judge(guard, `${root}/${path}`), path);
    assert.ok(!judge(guard, `${root}/etcetera/x`) && judge(guard, `${root}/etcetera/x`, 'write'));
    assert.ok(!judge(guard, root, 'write'));
    const subject = walkPath(`${root}/etc`, SPEC);
    assert.throws(() => checkSubject(guard, subject, 'read'), failsWith('protected_object', { path: `${root}/etc` }));
    subject.close();
  }));

test('hard links are recognised by what they are', () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/etc/tls`, { recursive: true });
    writeFileSync(`${root}/etc/grants.yaml`, '');
    writeFileSync(`${root}/etc/tls/key`, '');
    linkSync(`${root}/etc/grants.yaml`, `${root}/link`);
    linkSync(`${root}/etc/tls/key`, `${root}/key`);
    const guard = makeGuard({ trees: [`${root}/etc`], readOnly: [], pids: [] });
    assert.ok(judge(guard, `${root}/link`) && judge(guard, `${root}/key`));
    writeFileSync(`${root}/etc/new`, '');
    linkSync(`${root}/etc/new`, `${root}/new`);
    await sleep(300); // longer than a look-up holds
    assert.ok(judge(guard, `${root}/new`));
    assert.ok(!judge(guard, root));
  }));

test('procfs: environments, memory and the own processes are closed, and nothing is written', () => {
  const guard = makeGuard({ trees: [], readOnly: [], pids: [process.ppid] });
  const own = String(process.pid);
  const parent = String(process.ppid);
  for (const path of ['1/environ', '1/mem', '1/task/1/environ', `${own}/environ`, `${own}/maps`, `${parent}/maps`, `${own}/fd`]) {
    assert.ok(judge(guard, `/proc/${path}`), path);
  }
  for (const path of [own, `${own}/stat`, `${own}/limits`, `${parent}/status`, '1/status', '1/maps', 'meminfo']) {
    assert.ok(!judge(guard, `/proc/${path}`), path);
    assert.ok(judge(guard, `/proc/${path}`, 'write'), path);
  }
  assert.ok(judge(guard, `/proc/${own}/task/${own}/maps`));
  assert.ok(guard.isProtected({ realPath: '/proc/kcore', stat: undefined }, 'read'));
  assert.ok(guard.isProtected({ realPath: '/proc/kmsg', stat: undefined }, 'read'));
});

test('a thread of an own process has no side door', async () => {
  const worker = new Worker('setTimeout(() => {}, 10000)', { eval: true });
  await new Promise((resolve) => worker.once('online', resolve));
  const threads = readdirSync('/proc/self/task').filter((id) => id !== String(process.pid));
  const guard = makeGuard({ trees: [], readOnly: [], pids: [] });
  assert.ok(threads.length > 0 && threads.every((id) => judge(guard, `/proc/${id}/maps`)));
  await worker.terminate();
});

test('procfs mounted elsewhere is recognised by its device', () => {
  const guard = makeGuard({ trees: [], readOnly: [], pids: [] });
  const stat = lstatSync('/proc/1/environ', { bigint: true });
  assert.ok(guard.isProtected({ realPath: '/mnt/p/1/environ', stat }, 'read'));
  assert.ok(guard.isProtected({ realPath: '/mnt/p/kcore', stat }, 'read'));
  assert.ok(!guard.isProtected({ realPath: '/mnt/p/1/status', stat }, 'read'));
});

test('memory devices are recognised by their numbers', { skip: process.getuid?.() !== 0 && 'needs root' }, () => {
  const guard = makeGuard({ trees: [], readOnly: [], pids: [] });
  const subject = resolveAsKernel('/dev/null', SPEC);
  const stat = subject.object?.stat;
  assert.ok(stat !== undefined && !guard.isProtected({ realPath: '/dev/null', stat }, 'read'));
  const memory = Object.assign(Object.create(stat) as typeof stat, { rdev: 0x101n });
  assert.ok(guard.isProtected({ realPath: '/tmp/innocent', stat: memory }, 'read'));
  subject.close();
});
