/** Proves files/chmod and files/chown on single objects and on trees, with everything in the way that there can be. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, linkSync, lstatSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { makeGuard } from '../../host/guarding.ts';
import { failsWith } from '../../testing/context.ts';
import { runOp } from '../../testing/operations.ts';
import { fillTree, openDescriptors, withDirectory } from '../../testing/tree.ts';
import { filesChmod } from './chmod.ts';
import { filesChown } from './chown.ts';

const NEEDS_ROOT = { skip: process.getuid?.() !== 0 && 'needs root' };
const modeOf = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8);
const ownerOf = (path: string): string => `${String(lstatSync(path).uid)}:${String(lstatSync(path).gid)}`;

test('one mode: before, after, and nothing when it is so already', () =>
  withDirectory(async (root) => {
    const path = `${root}/f`;
    writeFileSync(path, '');
    chmodSync(path, 0o644);
    const dry = await runOp(filesChmod, { path, mode: 'u+x', dry_run: true });
    assert.deepEqual([dry.result.dry_run, dry.begun, modeOf(path)], [true, 0, '644']);
    const { records, result, begun } = await runOp(filesChmod, { path, mode: 'u+x' });
    assert.deepEqual(records, dry.records);
    assert.deepEqual(records, [
      { path, old: '0644', new: '0744', old_mode: '-rw-r--r--', new_mode: '-rwxr--r--', changed: true },
    ]);
    assert.deepEqual(
      [result, begun, modeOf(path)],
      [{ changed: 1, unchanged: 0, symlinks: 0, protected: 0, errors: 0 }, 1, '744'],
    );
    const again = await runOp(filesChmod, { path, mode: '744' });
    assert.deepEqual([again.records[0]?.changed, again.result.unchanged, again.begun], [false, 1, 0]);
    await assert.rejects(runOp(filesChmod, { path, mode: '999' }), failsWith('mode_invalid', { value: '999' }));
    await assert.rejects(
      runOp(filesChmod, { path: `${path}x`, mode: '644' }),
      failsWith('change_mode', { reason: 'no such file or directory' }),
    );
  }));

for (const privileged of [false, true]) {
  test(`a link in any component is refused (privileged: ${String(privileged)})`, () =>
    withDirectory(async (root) => {
      mkdirSync(`${root}/d`);
      writeFileSync(`${root}/d/f`, '');
      chmodSync(`${root}/d/f`, 0o640);
      symlinkSync('d', `${root}/dir`);
      symlinkSync('f', `${root}/d/link`);
      for (const path of [`${root}/dir/f`, `${root}/d/link`, `${root}/dir`]) {
        for (const recursive of [false, true]) {
          await assert.rejects(
            runOp(filesChmod, { path, mode: '777', recursive }, { privileged }),
            failsWith('symlink_refused'),
            path,
          );
          await assert.rejects(
            runOp(filesChown, { path, owner: ':0', recursive }, { privileged }),
            failsWith('symlink_refused'),
            path,
          );
        }
      }
      assert.equal(modeOf(`${root}/d/f`), '640');
    }));
}

test('setuid and setgid are added to files only where the grant says so', () =>
  withDirectory(async (root) => {
    const path = `${root}/f`;
    writeFileSync(path, '');
    mkdirSync(`${root}/d`);
    const chmod = (target: string, mode: string, allowSetid = false) =>
      runOp(filesChmod, { path: target, mode }, { privileged: true, allowSetid });
    for (const mode of ['4755', 'u+s', 'g+s'])
      await assert.rejects(chmod(path, mode), failsWith('setid_not_granted', { path }), mode);
    await chmod(`${root}/d`, '2755');
    await chmod(path, '4755', true);
    utimesSync(path, 1000, 2000);
    await chmod(path, 'u=rws,g-x');
    assert.deepEqual([modeOf(path), lstatSync(path).atimeMs, lstatSync(path).mtimeMs], ['4645', 1_000_000, 2_000_000]);
    await assert.rejects(chmod(path, '6755'), failsWith('setid_not_granted'));
    if (process.getuid?.() === 0) {
      // owned by somebody else it could become root's at any moment, and keeping would be adding
      chownSync(path, 4001, 4001);
      chmodSync(path, 0o4755);
      await assert.rejects(chmod(path, 'go-x'), failsWith('setid_not_granted'));
      await chmod(path, 'go-x', true);
      assert.equal(modeOf(path), '4744');
    }
    await chmod(path, '755');
    assert.deepEqual([modeOf(path), modeOf(`${root}/d`)], ['755', '2755']);
    const tree = await runOp(filesChmod, { path: root, mode: 'u+s', recursive: true }, { privileged: true });
    assert.deepEqual(
      [tree.result.errors, tree.records.find((record) => record.path === path)?.error],
      [1, `not authorized to add setuid or setgid to ${path}: this tool's grant in grants.yaml has no setid: true`],
    );
  }));

test('a file that is given to root meanwhile gets none of its bits back', NEEDS_ROOT, () =>
  withDirectory(async (root) => {
    const path = `${root}/f`;
    writeFileSync(path, '');
    const turns = new Int32Array(new SharedArrayBuffer(12));
    const giver = new Worker(new URL('../../testing/giver.ts', import.meta.url), { workerData: { path, turns } });
    const found: string[] = [];
    for (let round = 1; round <= 3000; round += 1) {
      chownSync(path, 4001, 4001);
      chmodSync(path, 0o6777);
      Atomics.store(turns, 1, round % 100);
      Atomics.store(turns, 0, round);
      Atomics.notify(turns, 0);
      for (const end = performance.now() + 0.05; performance.now() < end;); // a thread takes that long to wake
      await runOp(filesChmod, { path, mode: 'g-w' }, { privileged: true }).catch(() => undefined);
      while (Atomics.load(turns, 2) < round) Atomics.wait(turns, 2, round - 1);
      found.push(`${ownerOf(path)} ${String(lstatSync(path).mode & 0o6000)}`);
    }
    await giver.terminate();
    assert.deepEqual([...new Set(found)], ['0:0 0']);
  }),
);

test('a tree: everything is changed but links, which are told, and protected objects, which are counted', () =>
  withDirectory(async (root) => {
    fillTree(root, 31, 300);
    mkdirSync(`${root}/guarded/deep`, { recursive: true });
    execFileSync('chmod', ['-R', 'u+rwX', root]);
    const guard = makeGuard({ trees: [`${root}/guarded`], readOnly: [], pids: [] });
    const before = openDescriptors();
    const dry = await runOp(filesChmod, { path: root, mode: 'u=rwX,go=', recursive: true, dry_run: true }, { guard });
    const { result, records } = await runOp(filesChmod, { path: root, mode: 'u=rwX,go=', recursive: true }, { guard });
    assert.equal(openDescriptors(), before);
    // of a file with two names only the first is changed when it is done for real
    assert.ok(
      dry.result.changed >= result.changed && dry.result.changed + dry.result.unchanged === result.changed + result.unchanged,
    );
    assert.deepEqual([dry.begun, dry.result.symlinks, dry.result.dry_run], [0, result.symlinks, true]);
    const find = (...tests: string[]): number => execFileSync('find', [root, '-mindepth', '1', ...tests, '-printf', '.']).length;
    assert.equal(result.symlinks, find('-type', 'l'));
    assert.equal(records.filter(({ skipped }) => skipped === 'symlink').length, result.symlinks);
    assert.equal(result.changed + result.unchanged, find('!', '-type', 'l', '!', '-path', `${root}/guarded*`));
    assert.deepEqual([result.protected, result.errors], [2, 0]); // and what it is in
    assert.equal(find('!', '-type', 'l', '!', '-path', `${root}/guarded*`, '-perm', '/077'), 0);
    assert.equal(records.filter(({ changed }) => changed).length, result.changed);
    assert.ok(records.some(({ path_base64 }) => path_base64 !== undefined) || result.changed === 0);
    const again = await runOp(filesChmod, { path: root, mode: 'u=rwX,go=', recursive: true }, { guard });
    assert.deepEqual([again.result.changed, again.begun], [0, 0]);
  }));

test('an object above a protected one keeps its owner and mode', () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/log/own`, { recursive: true });
    const guard = makeGuard({ trees: [`${root}/log/own`], readOnly: [], pids: [] });
    const parts = { guard, privileged: true };
    const path = `${root}/log`;
    const mode = modeOf(path);
    for (const dry_run of [false, true]) {
      await assert.rejects(runOp(filesChmod, { path, mode: '777', dry_run }, parts), failsWith('protected_object', { path }));
      await assert.rejects(runOp(filesChown, { path, owner: '4001', dry_run }, parts), failsWith('protected_object', { path }));
    }
    mkdirSync(`${root}/log/other`);
    const { result } = await runOp(filesChmod, { path, mode: '700', recursive: true }, parts);
    assert.deepEqual([result.changed, result.protected], [1, 2]);
    assert.deepEqual([modeOf(path), modeOf(`${root}/log/other`)], [mode, '700']);
  }));

test('hard links are refused to root while the kernel does not protect them', () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/proc/sys/fs`, { recursive: true });
    writeFileSync(`${root}/proc/sys/fs/protected_hardlinks`, '0\n');
    mkdirSync(`${root}/d`);
    writeFileSync(`${root}/d/f`, '');
    linkSync(`${root}/d/f`, `${root}/g`);
    const path = `${root}/d/f`;
    const parts = { privileged: true, root };
    await assert.rejects(runOp(filesChmod, { path, mode: '600' }, parts), failsWith('hard_link', { path }));
    const tree = await runOp(filesChmod, { path: `${root}/d`, mode: 'go=', recursive: true }, parts);
    assert.deepEqual([tree.result.errors, tree.result.changed], [1, 1]);
    await runOp(filesChmod, { path, mode: '600' }, { root });
  }));

test('owners: names, ids, login groups', NEEDS_ROOT, () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/etc`);
    writeFileSync(`${root}/etc/passwd`, 'root:x:0:0::/:\nann:x:4001:4002::/:\n77:x:4077:4077::/:\n');
    writeFileSync(`${root}/etc/group`, 'root:x:0:\nstaff:x:4003:\n');
    const path = `${root}/f`;
    writeFileSync(path, '');
    const chown = async (owner: string): Promise<[string | undefined, string]> => {
      const { records } = await runOp(filesChown, { path, owner }, { privileged: true, root });
      return [records[0]?.changed === true ? `${records[0].old} -> ${records[0].new}` : records[0]?.old, ownerOf(path)];
    };
    assert.deepEqual(await chown('ann'), ['root:root -> ann:root', '4001:0']);
    assert.deepEqual(await chown(':staff'), ['ann:root -> ann:staff', '4001:4003']);
    assert.deepEqual(await chown('ann:'), ['ann:staff -> ann:4002', '4001:4002']);
    assert.deepEqual(await chown('5000:5001'), ['ann:4002 -> 5000:5001', '5000:5001']);
    assert.deepEqual(await chown('77'), ['5000:5001 -> 77:5001', '4077:5001']);
    assert.deepEqual(await chown('77:5001'), ['77:5001', '4077:5001']);
    assert.deepEqual(await chown('4001:'), ['77:5001 -> ann:4002', '4001:4002']);
    for (const owner of [':', 'a:b:c']) await assert.rejects(chown(owner), failsWith('owner_invalid', { value: owner }));
    for (const owner of ['bob', 'bob:staff', '4294967295', '5000:'])
      await assert.rejects(chown(owner), failsWith('no_such_user'));
    await assert.rejects(chown('ann:nogroup'), failsWith('no_such_group', { name: 'nogroup' }));
    assert.equal(ownerOf(path), '4001:4002');
  }),
);

test('a new owner needs root, the present one does not', () =>
  withDirectory(async (root) => {
    const path = `${root}/f`;
    writeFileSync(path, '');
    const { uid, gid } = lstatSync(path);
    await assert.rejects(runOp(filesChown, { path, owner: String(uid + 1) }), failsWith('owner_needs_root'));
    const same = await runOp(filesChown, { path, owner: `${String(uid)}:${String(gid)}` });
    assert.equal(same.result.unchanged, 1);
    const tree = await runOp(filesChown, { path: root, owner: String(uid + 1), recursive: true });
    assert.deepEqual([tree.result.errors, tree.result.changed], [2, 0]);
    assert.equal(tree.records[0]?.error, 'changing the owner needs privileged: true');
  }));

test('a tree changes owner, links and what they point to do not', NEEDS_ROOT, () =>
  withDirectory(async (root) => {
    mkdirSync(`${root}/tree/d`, { recursive: true });
    writeFileSync(`${root}/victim`, '');
    writeFileSync(`${root}/tree/d/-rf\n`, '');
    symlinkSync(`${root}/victim`, `${root}/tree/link`);
    symlinkSync(root, `${root}/tree/d/up`);
    const { result, records } = await runOp(
      filesChown,
      { path: `${root}/tree`, owner: '4001:4002', recursive: true },
      { privileged: true },
    );
    assert.deepEqual(result, { changed: 3, unchanged: 0, symlinks: 2, protected: 0, errors: 0 });
    assert.deepEqual(
      records.map(({ path, skipped }) => [path.slice(root.length), skipped]),
      [
        ['/tree', undefined],
        ['/tree/d', undefined],
        ['/tree/d/-rf\n', undefined],
        ['/tree/d/up', 'symlink'],
        ['/tree/link', 'symlink'],
      ],
    );
    assert.deepEqual([ownerOf(`${root}/victim`), ownerOf(`${root}/tree/link`), ownerOf(root)], ['0:0', '0:0', '0:0']);
    assert.equal(ownerOf(`${root}/tree/d/-rf\n`), '4001:4002');
  }),
);
