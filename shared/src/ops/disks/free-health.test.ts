/** Proves disks/free on a real file system, and disks/health with the programs that a host may or may not have. */
import assert from 'node:assert/strict';
import { lstatSync, statfsSync, symlinkSync } from 'node:fs';
import { test } from 'node:test';
import { StewardError } from '../../errors.ts';
import { findDiskNode } from '../../host/disk-node.ts';
import type { ProgramRequest, ProgramResult, ProgramRunner } from '../../host/programs.ts';
import { failsWith, testContext } from '../../testing/context.ts';
import { withFixture } from '../../testing/fixture.ts';
import { runOp } from '../../testing/operations.ts';
import { withDirectory } from '../../testing/tree.ts';
import { disksFree, spaceOf } from './free.ts';
import { disksHealth } from './health.ts';

test('space of the file system that holds a path', () =>
  withDirectory(async (root) => {
    const { result } = await runOp(disksFree, { path: root });
    const { blocks, bsize } = statfsSync(root);
    assert.equal(result.path, root);
    assert.equal(result.total_bytes, blocks * bsize);
    assert.equal(result.total_bytes, result.used_bytes + result.free_bytes);
    assert.equal('inodes' in result, false);
    const { inodes } = (await runOp(disksFree, { path: root, inodes: true })).result;
    assert.equal(inodes?.total, (inodes?.used ?? 0) + (inodes?.free ?? 0));
    const gone = failsWith('stat_filesystem', { path: `${root}/no`, reason: 'no such file or directory' });
    await assert.rejects(runOp(disksFree, { path: `${root}/no` }), gone);
    await assert.rejects(runOp(disksFree, { path: 'relative' }), failsWith('path_not_absolute'));
  }));

test('what is kept for root counts as used; blocks are counted in fragments', () => {
  const status = { type: 0n, bsize: 65_536n, frsize: 4096n, blocks: 1000n, bfree: 700n, bavail: 650n, files: 0n, ffree: 0n };
  assert.deepEqual(spaceOf(status), {
    total_bytes: 4_096_000,
    used_bytes: 350 * 4096,
    free_bytes: 650 * 4096,
    use_percent: 35,
  });
  assert.equal(spaceOf({ ...status, blocks: 0n, bavail: 0n }).use_percent, 0);
});

/** A name whose node in /dev is a block device of that number, on this machine. */
const DEVICE = ['vda', 'sda', 'nvme0n1', 'loop0', 'ram0', 'zram0'].find((name) => {
  try {
    return findDiskNode('/', name) !== '';
  } catch {
    return false;
  }
});
const skip = DEVICE === undefined && 'no block device has a node here';

function answering(result: Partial<Omit<ProgramResult, 'stdout' | 'stderr'>> & { stdout?: string; stderr?: string }) {
  const requests: ProgramRequest[] = [];
  const runner: ProgramRunner = {
    run: (request) => {
      requests.push(request);
      const { stdout = '', stderr = '', status = 0, truncated = false } = result;
      return Promise.resolve({ status, truncated, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr) });
    },
  };
  return { requests, runner };
}

async function health(programs: ProgramRunner, device = DEVICE ?? ''): Promise<string> {
  const pieces: Uint8Array[] = [];
  const write = (bytes: Uint8Array): Promise<void> => Promise.resolve(void pieces.push(Uint8Array.from(bytes)));
  await disksHealth.run({ device }, { ...testContext({ programs }), write });
  return Buffer.concat(pieces).toString();
}

test('the document as it is, whatever the exit status says', { skip }, async () => {
  const document = '{\n  "smartctl": {\n    "exit_status": 4\n  }\n}';
  const { requests, runner } = answering({ stdout: `${document}\n`, status: 4 });
  assert.equal(await health(runner), document);
  assert.deepEqual(requests[0]?.args, ['-j', '-a', '--', `/dev/${DEVICE ?? ''}`]);
  assert.equal(requests[0].program, 'smartctl');
  assert.equal(requests[0].maxOutput, 4 * 1024 * 1024);
});

// abuse 80: broker
test('no document', { skip }, async () => {
  const failing = (stdout: string, stderr: string, truncated = false) =>
    health(answering({ stdout, stderr, truncated, status: 1 }).runner);
  await assert.rejects(failing('', 'oh no\n'), failsWith('smartctl_failed', { reason: 'oh no' }));
  await assert.rejects(failing('text', ''), failsWith('smartctl_failed', { reason: 'it printed no JSON' }));
  await assert.rejects(failing('[1]', ''), failsWith('smartctl_failed'));
  await assert.rejects(failing('{}', '', true), failsWith('smartctl_failed', { reason: 'it printed more than 4 MiB' }));
  const missing: ProgramRunner = { run: ({ program }) => Promise.reject(new StewardError('program_missing', { program })) };
  await assert.rejects(health(missing), failsWith('smartctl_missing'));
});

test('only names of sysfs with a node of that number; never a path or an option', async () => {
  const never: ProgramRunner = { run: () => Promise.reject(new Error('must not be started')) };
  for (const device of ['/dev/sda', '-a', '--version', '..', 'a/b', '', 'sda\n', '$(id)', 'a b', "s'da", 'a!b']) {
    await assert.rejects(health(never, device), failsWith('device_name_invalid', { device }));
  }
  await assert.rejects(health(never, 'null'), failsWith('no_such_device', { device: 'null' }));
  await assert.rejects(health(never, 'sdzzz'), failsWith('no_such_device', { device: 'sdzzz' }));
});

test('a node that is another device, a link, or missing', { skip }, () => {
  const name = DEVICE ?? '';
  const number = lstatSync(`/dev/${name}`, { bigint: true }).rdev;
  const correct = `${String(number >> 8n)}:${String(number & 0xffn)}`;
  return withFixture(`sys/class/block/${name}/dev = ${correct}\nsys/class/block/other/dev = 1:99\ndev/`, (root) => {
    assert.throws(() => findDiskNode(root, name), failsWith('no_such_device'));
    symlinkSync(`/dev/${name}`, `${root}/dev/${name}`);
    assert.throws(() => findDiskNode(root, name), failsWith('no_such_device'));
    assert.throws(() => findDiskNode(root, 'other'), failsWith('no_such_device'));
  });
});
