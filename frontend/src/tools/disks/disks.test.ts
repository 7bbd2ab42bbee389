/** Proves texts and JSON forms of the disk tools. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_GRANTS } from '@steward/shared/config/types.ts';
import type { BlockDeviceRecord } from '@steward/shared/ops/disks/list.ts';
import type { UsageRecord } from '@steward/shared/ops/disks/usage.ts';
import { collect, optionsOf, outcomeOf, textOf } from '../../testing/outcome.ts';
import { checkArguments } from '../arguments.ts';
import { ToolListing } from '../listing.ts';
import { parametersOf } from '../parameters.ts';
import type { AnyTool, Rendered } from '../tool.ts';
import { disksFreeTool } from './free.ts';
import { disksHealthTool } from './health.ts';
import { DISK_TOOLS } from './index.ts';
import { disksListTool } from './list.ts';
import { disksMountsTool } from './mounts.ts';
import { disksPartitionsTool } from './partitions.ts';
import { disksPerformanceTool } from './performance.ts';
import { disksUsageTool } from './usage.ts';

async function jsonOf(rendered: Rendered | undefined): Promise<unknown> {
  return JSON.parse(await collect(rendered?.text ?? ''));
}

const SPACE = {
  path: '/srv',
  total_bytes: 62_671_097_856,
  used_bytes: 14_105_034_752,
  free_bytes: 48_566_063_104,
  use_percent: 22.5,
};

test('disks/free: three lines, or inodes whatever the form', async () => {
  const outcome = outcomeOf(SPACE);
  const options = (human: boolean) => optionsOf({ path: '/srv' }, { human });
  assert.equal(
    await textOf(disksFreeTool.text(outcome, options(false))),
    'Total:     62671097856\nUsed:      14105034752 (22.5%)\nAvailable: 48566063104',
  );
  assert.equal(
    await textOf(disksFreeTool.text(outcome, options(true))),
    'Total:     58.4 GiB\nUsed:      13.1 GiB (22.5%)\nAvailable: 45.2 GiB',
  );
  assert.deepEqual(await jsonOf(disksFreeTool.json?.(outcome, options(false))), SPACE);
  assert.deepEqual(await jsonOf(disksFreeTool.json?.(outcome, options(true))), {
    ...SPACE,
    total_human: '58.4 GiB',
    used_human: '13.1 GiB',
    free_human: '45.2 GiB',
  });
  const counted = outcomeOf({ ...SPACE, inodes: { total: 10, used: 3, free: 7 } });
  const inodes = 'Inodes total: 10\nInodes used: 3\nInodes free: 7';
  assert.equal(await textOf(disksFreeTool.text(counted, options(true))), inodes);
  const asJson = disksFreeTool.json?.(counted, optionsOf({ path: '/srv' }, { form: 'json' }));
  assert.equal(await collect(asJson?.text ?? ''), inodes);
});

const USAGE: readonly UsageRecord[] = [
  { kind: 'file', path: '/t/b', size: 20_480 },
  { kind: 'file', path: '/t/\ufffd', size: 512, path_base64: 'L3Qv/w==' },
  { kind: 'directory', path: '/t/sub\n', size: 4096 },
];

test('disks/usage: files, directories, total', async () => {
  const outcome = outcomeOf({ path: '/t', total_size: 28_672, undecodable: 1 }, USAGE);
  const text = (args: { all?: boolean; max_depth?: number }, human = false) =>
    textOf(disksUsageTool.text(outcome, optionsOf({ path: '/t', ...args }, { human })));
  assert.equal(await text({}), 'Total size of /t: 28672');
  assert.equal(await text({ max_depth: 0 }, true), 'Total size of /t: 28.0 KiB');
  assert.equal(
    await text({ all: true, max_depth: 2 }),
    `Individual files (largest first):
20480\t/t/b
512\t/t/\ufffd
---
Directory sizes (up to depth 2, largest first):
4096\t/t/sub\\n
---
Total size of /t: 28672`,
  );
  const json = (args: { all?: boolean; max_depth?: number }, human = false) =>
    jsonOf(disksUsageTool.json?.(outcome, optionsOf({ path: '/t', ...args }, { form: 'json', human })));
  assert.deepEqual(await json({ all: true, max_depth: 2 }, true), {
    path: '/t',
    total_size: 28_672,
    human_size: '28.0 KiB',
    directory_sizes: { '/t/sub\n': 4096 },
    file_sizes: { '/t/b': 20_480 },
    undecodable: [{ path: '/t/\ufffd', path_base64: 'L3Qv/w==', size: 512 }],
  });
  const plain = outcomeOf({ path: '/t', total_size: 28_672, undecodable: 0 });
  assert.deepEqual(await jsonOf(disksUsageTool.json?.(plain, optionsOf({ path: '/t' }))), { path: '/t', total_size: 28_672 });
  assert.deepEqual(await jsonOf(disksUsageTool.json?.(plain, optionsOf({ path: '/t', max_depth: 1 }))), {
    path: '/t',
    total_size: 28_672,
    directory_sizes: {},
  });
});

function device(name: string, given: Partial<BlockDeviceRecord> = {}): BlockDeviceRecord {
  const size = { size: '10737418240', size_bytes: 10_737_418_240 };
  return {
    name,
    kname: name,
    'maj:min': '254:0',
    rm: false,
    ...size,
    ro: false,
    type: 'disk',
    mountpoints: [],
    children: [],
    ...given,
  };
}

const BYTES = { size: '10736369664', size_bytes: 10_736_369_664 };
const VDA = device('vda', {
  children: [device('vda1', { 'maj:min': '254:1', ...BYTES, type: 'part', mountpoints: ['/'] })],
});

test('disks/list: the tree', async () => {
  const outcome = outcomeOf({}, [VDA]);
  assert.equal(
    await textOf(disksListTool.text(outcome, optionsOf({}))),
    `BLOCKDEVICES
NAME    KNAME  MAJ:MIN  RM  SIZE         SIZE_BYTES   RO  TYPE  MOUNTPOINTS
vda     vda    254:0    0   10737418240  10737418240  0   disk  -
└─vda1  vda1   254:1    0   10736369664  10736369664  0   part  /`,
  );
  assert.match(
    await textOf(disksListTool.text(outcome, optionsOf({}, { human: true }))),
    /^vda +vda +254:0 +0 +10G +10737418240 /m,
  );
  assert.deepEqual(await jsonOf(disksListTool.json?.(outcome, optionsOf({}))), { blockdevices: [VDA] });
  assert.equal(
    await textOf(disksListTool.text(outcomeOf({}), optionsOf({}))),
    'BLOCKDEVICES\nNAME  KNAME  MAJ:MIN  RM  SIZE  SIZE_BYTES  RO  TYPE  MOUNTPOINTS',
  );
});

test('disks/list: branches of several levels', async () => {
  const volume = device('vg-root', { mountpoints: ['/a', '/b c\n', '[SWAP]'], rm: true, ro: true });
  const disk = device('sda', { children: [device('sda1', { children: [volume] }), device('sda2', { children: [device('x')] })] });
  const lines = (await textOf(disksListTool.text(outcomeOf({}, [disk]), optionsOf({})))).split('\n').slice(2);
  const names = lines.map((line) => /^[│├└─ ]*[a-z0-9-]+/.exec(line)?.[0]);
  assert.deepEqual(names, ['sda', '├─sda1', '│ └─vg-root', '└─sda2', '  └─x']);
  assert.match(lines[2] ?? '', / 1 +10737418240 +10737418240 +1 +disk +\/a,\/b c\\n,\[SWAP\]$/);
});

test('disks/mounts: a line each', async () => {
  const record = { device: '/dev/vda1', mount_point: '/mnt/a\nb', fs_type: 'ext4', options: 'rw,relatime' };
  const text = (records: readonly (typeof record)[]) => textOf(disksMountsTool.text(outcomeOf({}, records), optionsOf({})));
  assert.equal(await text([record, record]), Array(2).fill('/dev/vda1 on /mnt/a\\nb type ext4 (rw,relatime)').join('\n'));
  assert.equal(await text([]), '');
});

test('disks/performance: the table', async () => {
  const stats = {
    major: 8,
    minor: 0,
    device_name: 'sda',
    reads_completed: 1,
    reads_merged: 2,
    sectors_read: 3,
    time_reading_ms: 4,
    writes_completed: 5,
    writes_merged: 6,
    sectors_written: 7,
    time_writing_ms: 8,
    ios_in_progress: 9,
    time_doing_ios_ms: 10,
    weighted_time_ios_ms: 11,
  };
  const text = await textOf(disksPerformanceTool.text(outcomeOf({}, [stats]), optionsOf({})));
  assert.deepEqual(
    text.split('\n').map((line) => line.split(/ {2,}/)),
    [
      ['DEVICE', 'READS', 'WRITES', 'SECT_READ', 'SECT_WRITE', 'IO_MS'],
      ['sda', '1', '5', '3', '7', '10'],
    ],
  );
});

test('disks/health: the document as it is', async () => {
  const document = '{\n  "a": 1\n}';
  assert.equal(
    await textOf(disksHealthTool.text(outcomeOf({ size: 12 }, [], [Buffer.from(document)]), optionsOf({ device: 'sda' }))),
    document,
  );
});

test('disks/partitions: any word for the form means JSON, and the listing does not show it', async () => {
  const record = { device: 'sda1', parent_disk: 'sda', number: 1, start_sector: 2048, size_sectors: 100, size_bytes: 51_200 };
  const outcome = outcomeOf({}, [record]);
  const render = (given: object) => {
    const values = checkArguments(disksPartitionsTool, parametersOf(disksPartitionsTool), given);
    return textOf(disksPartitionsTool.text(outcome, optionsOf(values)));
  };
  const table =
    'DEVICE  PARENT  NUMBER  START_SECTOR  SIZE_SECTORS  SIZE_BYTES\nsda1    sda     1       2048          100           51200';
  assert.equal(await render({}), table);
  assert.equal(await render({ output_format: '' }), table);
  for (const output_format of ['json', 'text', 'whatever'])
    assert.deepEqual(JSON.parse(await render({ output_format })), [record]);
  const shown = JSON.parse(
    new ToolListing([disksPartitionsTool]).forCaller({ grants: NO_GRANTS, account: false }, { names: 'slash', show: 'all' }).text,
  ) as [{ inputSchema: { properties: object } }];
  assert.deepEqual(Object.keys(shown[0].inputSchema.properties), ['device']);
});

test('the arguments that each tool lists', () => {
  const names = (tool: AnyTool) =>
    parametersOf(tool)
      .filter(({ listed }) => listed)
      .map(({ name }) => name);
  assert.deepEqual(DISK_TOOLS.map(names), [
    ['path', 'inodes', 'human_readable', 'output_format', 'privileged'],
    // prettier-ignore
    ['path', 'max_depth', 'all', 'apparent_size', 'exclude', 'one_file_system', 'separate_dirs', 'threshold', 'human_readable', 'output_format', 'privileged'],
    ['all', 'human_readable', 'output_format', 'privileged'],
    ['fs_type', 'output_format', 'privileged'],
    ['device', 'output_format'],
    ['device', 'privileged'],
    ['device'],
  ]);
});
