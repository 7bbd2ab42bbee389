/** Proves which objects are protected, however they are reached. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { failsWith } from '../testing/context.ts';
import { withDirectory } from '../testing/tree.ts';
import type { Guard, GuardedUse } from './guard.ts';
import { checkSubject, makeGuard } from './guarding.ts';
import { resolveAsKernel } from './resolve.ts';
import { walkPath } from './walk.ts';

/** CAP_SYS_ADMIN (capabilities(7)), which mounting takes. */
const MAY_MOUNT =
  (Number.parseInt(/^CapEff:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]?.slice(-8) ?? '0', 16) &
    (1 << 21)) !==
  0;
const NEEDS_MOUNTS = { skip: !MAY_MOUNT && 'needs the right to mount' };
const SPEC = { need: 'object', lastLink: 'object', use: 'read', failure: 'open_file' } as const;

function judge(guard: Guard, path: string, use: GuardedUse = 'read'): boolean {
  const subject = walkPath(path, { ...SPEC, need: 'any', rootMayNameLink: true });
  try {
    return guard.isProtected({ realPath: subject.realPath, stat: subject.object?.stat }, use);
  } finally {
    subject.close();
  }
}

function mount(...args: string[]): void {
  execFileSync('mount', args);
}

/** A directory below which everything is unmounted in the end. */
function withMounts(use: (root: string) => Promise<void>): Promise<void> {
  return withDirectory(async (root) => {
    try {
      await use(root);
    } finally {
      const points = readFileSync('/proc/self/mountinfo', 'utf8')
        .split('\n')
        .map((line) => line.split(' ')[4] ?? '');
      for (const point of points.filter((path) => path.startsWith(`${root}/`)).reverse()) execFileSync('umount', ['-l', point]);
    }
  });
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
  assert.ok(guard.isProtected({ realPath: '/mnt/7/p/1/task/1/environ', stat }, 'read'));
  assert.ok(!guard.isProtected({ realPath: '/mnt/p/1/status', stat }, 'read'));
});

test('procfs mounted elsewhere, whole or in part, is judged by what is to be seen there', NEEDS_MOUNTS, () =>
  withMounts(async (root) => {
    mkdirSync(`${root}/5/proc`, { recursive: true });
    mkdirSync(`${root}/part`);
    mount('-t', 'proc', 'proc', `${root}/5/proc`);
    mount('--bind', `/proc/${process.pid}`, `${root}/part`);
    const guard = makeGuard({ trees: [], readOnly: [], pids: [] });
    for (const path of [
      '5/proc/1/environ',
      '5/proc/kmsg',
      `5/proc/${process.pid}/maps`,
      'part/environ',
      'part/maps',
      'part/fd',
    ]) {
      assert.ok(judge(guard, `${root}/${path}`), path);
    }
    for (const path of ['5/proc/1/status', '5/proc/uptime', 'part/status']) assert.ok(!judge(guard, `${root}/${path}`), path);
  }),
);

test('a bind mount shows nothing that is protected, at whatever depth and however new', NEEDS_MOUNTS, () =>
  withMounts(async (root) => {
    mkdirSync(`${root}/etc/a/b/c`, { recursive: true });
    writeFileSync(`${root}/etc/a/b/c/secret`, '');
    for (const made of ['whole', 'part', 'above', 'open']) mkdirSync(`${root}/${made}`);
    mount('--bind', `${root}/etc`, `${root}/whole`);
    mount('--bind', `${root}/etc/a/b`, `${root}/part`);
    mount('--bind', root, `${root}/above`);
    const guard = makeGuard({ trees: [`${root}/etc`], readOnly: [], pids: [] });
    for (const path of ['whole/a/b/c/secret', 'part/c/secret', 'above/etc/a/b/c/secret', 'whole/missing']) {
      assert.ok(judge(guard, `${root}/${path}`), path);
    }
    writeFileSync(`${root}/etc/new`, '');
    assert.ok(judge(guard, `${root}/whole/new`) && judge(guard, `${root}/above/etc/new`));
    assert.ok(!judge(guard, `${root}/above/open`) && !judge(guard, `${root}/open`));
  }),
);

test('near a protected object is what is above it, also where it is mounted, and all of procfs', NEEDS_MOUNTS, () =>
  withMounts(async (root) => {
    for (const made of ['a/b', 'a/c', 'elsewhere']) mkdirSync(`${root}/${made}`, { recursive: true });
    writeFileSync(`${root}/a/b/key`, '');
    writeFileSync(`${root}/elsewhere/shown`, '');
    mount('--bind', `${root}/a/b/key`, `${root}/elsewhere/shown`);
    const guard = makeGuard({ trees: [`${root}/a/b/key`], readOnly: [], pids: [] });
    const isNear = (path: string): boolean => {
      const object = { realPath: path, stat: lstatSync(path, { bigint: true }) };
      assert.ok(!guard.isProtected(object, 'read'));
      return guard.isNear(object);
    };
    for (const path of [`${root}/a/b`, root, `${root}/elsewhere`, '/proc/1']) assert.ok(isNear(path), path);
    for (const path of [`${root}/a/c`, '/usr']) assert.ok(!isNear(path), path);
  }),
);

test('a protected path that is named through a link is protected where it leads', () =>
  withDirectory((root) => {
    mkdirSync(`${root}/real/log/a/b/c`, { recursive: true });
    symlinkSync('real', `${root}/name`);
    const guard = makeGuard({ trees: [`${root}/name/log`], readOnly: [], pids: [] });
    assert.ok(judge(guard, `${root}/real/log/a/b/c/new`) && !judge(guard, `${root}/real/other`));
  }));

test('what is above a protected object keeps owner and mode, but may be written to', () =>
  withDirectory((root) => {
    for (const made of ['var/log/own', 'usr/program']) mkdirSync(`${root}/${made}`, { recursive: true });
    const guard = makeGuard({ trees: [`${root}/var/log/own`], readOnly: [`${root}/usr/program`], pids: [] });
    for (const path of ['/', root, `${root}/var`, `${root}/var/log`, `${root}/usr`]) {
      assert.ok(judge(guard, path, 'attributes') && !judge(guard, path, 'write'), path);
    }
    assert.ok(judge(guard, `${root}/var/log/own`, 'attributes') && judge(guard, `${root}/usr/program`, 'attributes'));
    assert.ok(!judge(guard, `${root}/var/log/other`, 'attributes') && !judge(guard, `${root}/usr/lib`, 'attributes'));
  }));

test('a protected directory is read again only when it was changed', () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/log`);
    for (const name of ['a', 'b', 'later']) writeFileSync(`${root}/${name === 'later' ? '' : 'log/'}${name}`, '');
    linkSync(`${root}/log/a`, `${root}/link`);
    utimesSync(`${root}/log`, 1, 1);
    const guard = makeGuard({ trees: [`${root}/log`], readOnly: [], pids: [] });
    assert.ok(judge(guard, `${root}/link`) && !judge(guard, `${root}/later`));
    linkSync(`${root}/later`, `${root}/log/c`);
    utimesSync(`${root}/log`, 1, 1);
    await sleep(300); // longer than a look-up holds
    assert.ok(judge(guard, `${root}/link`) && !judge(guard, `${root}/later`));
    renameSync(`${root}/log/b`, `${root}/log/d`);
    await sleep(300);
    assert.ok(judge(guard, `${root}/link`) && judge(guard, `${root}/later`));
  }));

test('memory devices are recognised by their numbers', { skip: process.getuid?.() !== 0 && 'needs root' }, () => {
  const guard = makeGuard({ trees: [], readOnly: [], pids: [] });
  const subject = resolveAsKernel('/dev/null', SPEC);
  const stat = subject.object?.stat;
  assert.ok(stat !== undefined && !guard.isProtected({ realPath: '/dev/null', stat }, 'read'));
  const memory = Object.assign(Object.create(stat) as typeof stat, { rdev: 0x101n });
  assert.ok(guard.isProtected({ realPath: '/tmp/innocent', stat: memory }, 'read'));
  subject.close();
});
