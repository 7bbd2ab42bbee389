/** Proves reads, the cap, refusals and writes of kernel parameters on a fixture tree. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { kernelSystemControl, SYSCTL_MAX_OUTPUT, type SysctlRecord } from './system-control.ts';

const TREE = {
  'proc/sys/vm/swappiness': '60\n',
  'proc/sys/vm/dirty_ratio': '20\n',
  'proc/sys/kernel/printk': '4\t4\t1\t7\n',
  'proc/sys/kernel/two': 'a\nb\n',
  'proc/sys/kernel/modprobe': '\n',
};
type Args = Parameters<typeof kernelSystemControl.run>[0];

/** Runs on the tree; the file given is what is read back afterwards. */
function run(args: Args, privileged = false, tree: Record<string, string> = TREE, prepare?: (root: string) => void) {
  return withTree(tree, async (root) => {
    prepare?.(root);
    const context = testContext<SysctlRecord>({ root, privileged });
    const result = await kernelSystemControl.run(args, context);
    return {
      result,
      records: context.records,
      begun: context.begun.count,
      file: readFileSync(join(root, 'proc/sys/vm/swappiness'), 'utf8'),
    };
  });
}

test('reads one parameter in either spelling', async () => {
  for (const key of ['vm.swappiness', 'vm/swappiness']) {
    assert.deepEqual((await run({ key })).records, [{ key: 'vm.swappiness', value: '60' }]);
  }
});

test('reads a subtree sorted, and everything', async () => {
  assert.deepEqual((await run({ key: 'vm' })).records, [
    { key: 'vm.dirty_ratio', value: '20' },
    { key: 'vm.swappiness', value: '60' },
  ]);
  const all = await run({ read_all: true });
  assert.deepEqual(
    all.records.map((record) => record.key),
    ['kernel.modprobe', 'kernel.printk', 'kernel.two', 'vm.dirty_ratio', 'vm.swappiness'],
  );
  assert.equal(all.records[2]?.value, 'a\nb');
  assert.deepEqual(all.result, { action: 'read', key: '', previous: null, unreadable: 0, truncated: false });
});

test('asks for a key, and judges it', async () => {
  await assert.rejects(run({}), failsWith('sysctl_key_required'));
  await assert.rejects(run({ key: '' }), failsWith('sysctl_key_required'));
  await assert.rejects(run({ read_all: true, value: '1' }, true), failsWith('sysctl_key_required'));
  await assert.rejects(run({ key: '../x' }), failsWith('sysctl_key_invalid'));
  await assert.rejects(
    run({ key: 'vm.nothing' }),
    failsWith('sysctl_stat', { key: 'vm.nothing', reason: 'no such file or directory' }),
  );
});

test('stops at the cap', async () => {
  const value = `${'x'.repeat(1024 * 1024)}\n`;
  const tree = { ...TREE, ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`proc/sys/big/${String(n)}`, value])) };
  const { result, records } = await run({ key: 'big' }, false, tree);
  assert.equal(result.truncated, true);
  assert.equal(records.length, 3);
  const bytes = records.reduce((sum, record) => sum + `${record.key} = ${record.value}\n`.length, 0);
  assert.ok(bytes <= SYSCTL_MAX_OUTPUT);
});

test('counts what cannot be read', async () => {
  const { result, records } = await asNobody(() =>
    run({ key: 'vm' }, false, TREE, (root) => {
      chmodSync(join(root, 'proc/sys/vm/dirty_ratio'), 0o200);
    }),
  );
  assert.equal(result.unreadable, 1);
  assert.deepEqual(records, [{ key: 'vm.swappiness', value: '60' }]);
});

/** Root reads whatever the mode says, so that its rights are laid down for the time of `use`. */
async function asNobody<T>(use: () => Promise<T>): Promise<T> {
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65534);
  try {
    return await use();
  } finally {
    if (root) process.seteuid?.(0);
  }
}

test('a write needs root, and a single line', async () => {
  await assert.rejects(run({ key: 'vm/swappiness', value: '10' }), failsWith('sysctl_needs_grant', { key: 'vm.swappiness' }));
  for (const value of ['1\n', '1\n2', '1\r', '1\0', 'x'.repeat(4097), 'é'.repeat(2049)]) {
    await assert.rejects(run({ key: 'vm.swappiness', value }, true), failsWith('sysctl_value_invalid'));
  }
  await assert.rejects(run({ key: 'vm', value: '1' }, true), failsWith('sysctl_write', { reason: 'is a directory' }));
  await assert.rejects(run({ key: 'vm.x', value: '1' }, true), failsWith('sysctl_stat', { key: 'vm.x' }));
});

test('writes and answers with the value then held', async () => {
  const { result, records, begun, file } = await run({ key: 'vm.swappiness', value: '10' }, true);
  assert.equal(file, '10\n');
  assert.equal(begun, 1);
  assert.equal(result.action, 'write');
  assert.equal(result.previous, '60');
  assert.deepEqual(records, [{ key: 'vm.swappiness', value: '10' }]);
});

test('a dry run changes nothing', async () => {
  const { result, records, begun, file } = await run({ key: 'vm.swappiness', value: '10', dry_run: true }, true);
  assert.equal(file, '60\n');
  assert.equal(begun, 0);
  assert.deepEqual(result, { action: 'dry_run', key: 'vm.swappiness', previous: '60', unreadable: 0, truncated: false });
  assert.deepEqual(records, [{ key: 'vm.swappiness', value: '10' }]);
});

test('reads the running kernel', async () => {
  const context = testContext<SysctlRecord>();
  await kernelSystemControl.run({ key: 'kernel.ostype' }, context);
  assert.deepEqual(context.records, [{ key: 'kernel.ostype', value: 'Linux' }]);
});

test('a stopped read ends', async () => {
  await withTree(TREE, async (root) => {
    const context = testContext<SysctlRecord>({ root, signal: AbortSignal.abort() });
    await assert.rejects(kernelSystemControl.run({ read_all: true }, context), failsWith('cancelled'));
    assert.deepEqual(context.records, []);
  });
});
