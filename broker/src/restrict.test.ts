/** Restrictions on a real tree: what is inside, what only looks as if it were, and what is never touched. */
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Grant } from '@steward/shared/config/types.ts';
import { makeGuard } from '@steward/shared/host/guarding.ts';
import { walkPath } from '@steward/shared/host/walk.ts';
import type { AnyOperation } from '@steward/shared/ops/operation.ts';
import { filesChmod } from '@steward/shared/ops/files/chmod.ts';
import { filesCreate } from '@steward/shared/ops/files/create.ts';
import { filesFiletype } from '@steward/shared/ops/files/filetype.ts';
import { filesRead } from '@steward/shared/ops/files/read.ts';
import { kernelSystemControl } from '@steward/shared/ops/kernel/system-control.ts';
import { byPaths, byResourcePaths, bySysctlKey, checkHardLinks } from './restrict.ts';
import type { Restricted } from '@steward/shared/catalogue/row.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-restrict-')));
after(() => rmSync(base, { recursive: true }));
const www = join(base, 'www');
const secret = join(base, 'secret');
for (const directory of [www, `${www}evil`, secret, join(www, 'sub')]) mkdirSync(directory);
for (const file of [`${www}/file`, `${www}evil/x`, `${secret}/key`]) writeFileSync(file, 'text');
symlinkSync(`${secret}/key`, `${www}/out`);
symlinkSync(`${www}/file`, `${www}/in`);
symlinkSync(secret, `${www}/dir`);
symlinkSync('loop', `${www}/loop`);

const guard = makeGuard({ trees: [secret], readOnly: [join(www, 'sub')], pids: [] });
const granted = (paths: readonly string[] | undefined): Grant => ({
  allowed: true,
  line: 7,
  ...(paths === undefined ? {} : { paths }),
});

function decide(op: AnyOperation, path: unknown, paths: readonly string[] | undefined = [www]): Restricted {
  const found = byPaths.decide({ args: { path }, grant: granted(paths), user: 'ops', op, tool: op.name, guard });
  found.subject?.close();
  return found;
}

const openDescriptors = (): number => readdirSync('/proc/self/fd').length;

test('what lies under the grant is found in its canonical form', () => {
  for (const typed of [www, `${www}/`, `${base}//www/./x/..`]) {
    const found = decide(filesFiletype, typed);
    assert.equal(found.object, www);
    assert.equal(found.rule, `paths: ${www}`);
    assert.deepEqual(found.args, { path: www });
  }
  assert.equal(decide(filesCreate, `${www}/new/deep/file`).object, `${www}/new/deep/file`);
});

test('what only looks like it is refused with the path as typed, and nothing is probed', () => {
  for (const typed of [`${www}/../../etc/passwd`, `${www}evil/x`, `${www}/../secret/none`, '/', `${secret}/key`]) {
    assert.throws(() => decide(filesRead, typed), {
      key: 'path_restricted',
      params: { user: 'ops', tool: 'files/read', path: typed },
    });
  }
});

test('no symbolic link is followed, wherever it leads', () => {
  for (const name of ['out', 'in', 'dir/key', 'dir', 'loop']) {
    assert.throws(() => decide(filesRead, `${www}/${name}`), { key: 'symlink_refused' }, name);
    assert.throws(() => decide(filesChmod, `${www}/${name}`), { key: 'symlink_refused' }, name);
  }
  assert.throws(() => decide(filesRead, '/proc/self/root/etc/shadow', ['/']), { key: 'symlink_refused' });
  assert.equal(decide(filesFiletype, `${www}/out`).object, `${www}/out`); // reported, not followed
});

test('protected objects stay so under a grant of everything', () => {
  for (const op of [filesRead, filesChmod]) assert.throws(() => decide(op, `${secret}/key`, ['/']), { key: 'protected_object' });
  assert.throws(() => decide(filesCreate, `${secret}/new/file`, ['/']), { key: 'protected_object' });
  assert.throws(() => decide(filesCreate, `${www}/sub/file`), { key: 'protected_object' });
  assert.equal(decide(filesFiletype, `${www}/sub`).object, `${www}/sub`);
  assert.throws(() => decide(filesCreate, '/proc/sys/vm/swappiness', ['/']), { key: 'protected_object' });
  assert.throws(() => decide(filesRead, '/proc/1/environ', ['/']), { key: 'protected_object' });
});

test('odd paths are refused as arguments', () => {
  assert.throws(() => decide(filesRead, 'www'), { key: 'path_not_absolute' });
  for (const path of ['/a\0b', `/${'x'.repeat(256)}`, `/${'x/'.repeat(2048)}`])
    assert.throws(() => decide(filesRead, path), { key: 'path_invalid' });
});

test('a grant without its list permits nothing', () => {
  const input = {
    args: { path: www },
    grant: granted(undefined),
    user: 'ops',
    op: filesRead as AnyOperation,
    tool: 'files/read',
    guard,
  };
  assert.throws(() => byPaths.decide(input), { key: 'restriction_missing' });
  assert.throws(() => byResourcePaths.decide(input), { key: 'resource_not_granted' });
  assert.throws(() => decide(filesRead, www, []), { key: 'path_restricted' });
});

test('refusals leave no descriptor open', () => {
  const before = openDescriptors();
  for (let n = 0; n < 50; n += 1) {
    assert.throws(() => decide(filesRead, `${secret}/key`, ['/']));
    assert.throws(() => decide(filesRead, `${www}/dir/key`));
    assert.throws(() => decide(filesRead, `${www}/none`));
  }
  assert.equal(openDescriptors(), before);
});

test('hard links are refused where the kernel lets anybody make them', () => {
  linkSync(`${secret}/key`, `${www}/hard`);
  const spec = filesChmod.path;
  assert.ok(spec);
  const subject = walkPath(`${www}/hard`, spec);
  assert.throws(() => checkHardLinks(subject, () => false), { key: 'hard_link' });
  assert.doesNotThrow(() => checkHardLinks(subject, () => true));
  subject.close();
  const single = walkPath(`${www}/file`, spec);
  assert.doesNotThrow(() => checkHardLinks(single, () => false));
  single.close();
  assert.throws(() => decide(filesRead, `${www}/hard`), { key: 'protected_object' }); // the same inode as the protected one
});

function sysctl(args: Readonly<Record<string, unknown>>, write_keys?: readonly string[]): Restricted {
  const grant: Grant = { allowed: true, line: 3, ...(write_keys === undefined ? {} : { sysctl: { write_keys } }) };
  return bySysctlKey.decide({ args, grant, user: 'ops', op: kernelSystemControl, tool: 'kernel/system-control', guard });
}

test('sysctl keys: reads are free, writes need an entry that covers the canonical key', () => {
  assert.equal(sysctl({ key: 'kernel/hostname' }).object, 'sysctl kernel.hostname');
  assert.equal(sysctl({ read_all: true }).object, 'sysctl (all)');
  assert.equal(sysctl({ key: 'vm/swappiness', value: '1' }, ['vm.*']).rule, 'sysctl.write_keys: vm.*');
  for (const keys of [undefined, [], ['vm.swap'], ['net.*'], ['*']]) {
    assert.throws(() => sysctl({ key: 'vm.swappiness', value: '1' }, keys), { key: 'sysctl_restricted' });
  }
  assert.throws(() => sysctl({ key: 'net.ipv4.ip_forward', value: '1' }, ['net.*']), { key: 'sysctl_restricted' });
  assert.throws(() => sysctl({ key: 'kernel.core_pattern', value: '|/x' }, ['kernel.*']), { key: 'sysctl_restricted' });
  assert.ok(sysctl({ key: 'kernel.core_pattern', value: 'core' }, ['kernel.core_pattern']));
  for (const key of ['../vm/x', 'vm.*', 'vm.swappiness\n1', 'kernel/../vm']) {
    assert.throws(() => sysctl({ key, value: '1' }, ['vm.*']), { key: 'sysctl_key_invalid' }, key);
  }
});
