/** Proves load averages and topology on fixture trees of two architectures. */
import assert from 'node:assert/strict';
import { machine } from 'node:os';
import { test } from 'node:test';
import type { Processor } from '../../host/cpus.ts';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { cpuList } from './list.ts';
import { cpuLoadAverage } from './load-average.ts';

function x86(processor: number, physical: number, core: number): string {
  return [
    `processor\t: ${String(processor)}`,
    'vendor_id\t: GenuineIntel',
    'model name\t: Xeon: the one',
    'power management:',
    `physical id\t: ${String(physical)}`,
    'siblings\t: 4',
    `core id\t\t: ${String(core)}`,
    'cpu cores\t: 2',
    '',
  ].join('\n');
}

async function list(tree: Record<string, string>, topologyOnly: boolean) {
  return withTree(tree, async (root) => {
    const context = testContext<Processor>({ root });
    const result = await cpuList.run({ topology_only: topologyOnly }, context);
    return { result, records: context.records };
  });
}

test('load averages', async () => {
  await withTree({ 'proc/loadavg': '0.52 1.48 12.00 1/120 4711\n' }, async (root) => {
    assert.deepEqual(await cpuLoadAverage.run({}, testContext({ root })), { '1_min': 0.52, '5_min': 1.48, '15_min': 12 });
  });
  await withTree({ 'proc/loadavg': 'what\n' }, async (root) => {
    await assert.rejects(cpuLoadAverage.run({}, testContext({ root })), failsWith('read_system', { path: '/proc/loadavg' }));
  });
  await withTree({}, async (root) => {
    const missing = failsWith('read_system', { path: '/proc/loadavg', reason: 'no such file or directory' });
    await assert.rejects(cpuLoadAverage.run({}, testContext({ root })), missing);
  });
});

test('topology of two sockets with hyper-threading', async () => {
  const places = [0, 1, 0, 1, 0, 1, 0, 1].map((core, n) => x86(n, n < 4 ? 0 : 1, core));
  const { result, records } = await list({ 'proc/cpuinfo': places.join('\n') }, false);
  assert.equal(result.architecture, machine());
  assert.deepEqual([result.processors, result.sockets, result.cores_per_socket, result.threads_per_core], [8, 2, 2, 2]);
  assert.equal(records.length, 8);
  assert.equal(records[0]?.['model name'], 'Xeon: the one');
  assert.equal(records[0]['power management'], '');
  assert.equal(result.first['vendor_id'], 'GenuineIntel');
});

test('topology from sysfs where cpuinfo has none', async () => {
  const blocks = [0, 1, 2, 3].map((n) => `processor\t: ${String(n)}\nBogoMIPS\t: 50.00\n`);
  const sysfs = [0, 1, 2, 3].flatMap((n) => {
    const directory = `sys/devices/system/cpu/cpu${String(n)}/topology`;
    return [
      [`${directory}/physical_package_id`, '0\n'],
      [`${directory}/core_id`, `${String(n)}\n`],
    ];
  });
  const tree = {
    'proc/cpuinfo': `${blocks.join('\n')}\nHardware\t: Board\n`,
    ...(Object.fromEntries(sysfs) as Record<string, string>),
  };
  const { result, records } = await list(tree, true);
  assert.deepEqual([result.processors, result.sockets, result.cores_per_socket, result.threads_per_core], [4, 1, 4, 1]);
  assert.deepEqual(records[3], { processor: '3', 'physical id': '0', 'core id': '3', siblings: '4', 'cpu cores': '4' });
  assert.deepEqual(Object.keys(records[3]), ['processor', 'physical id', 'core id', 'siblings', 'cpu cores']);
});

test('a processor whose place is unknown is a core of its own', async () => {
  const { result, records } = await list({ 'proc/cpuinfo': 'processor: 0\n\nprocessor: 1\n' }, true);
  assert.deepEqual([result.sockets, result.cores_per_socket, result.threads_per_core], [1, 2, 1]);
  assert.deepEqual(records, [{ processor: '0' }, { processor: '1' }]);
});
