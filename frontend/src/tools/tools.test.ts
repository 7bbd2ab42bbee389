/** Proves the texts of the tools that are not about files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SysctlRecord } from '@steward/shared/ops/kernel/system-control.ts';
import { optionsOf, outcomeOf, textOf } from '../testing/outcome.ts';
import { sudoRulesTool } from './auth/sudo-rules.ts';
import { cpuListTool } from './cpu/list.ts';
import { loadAverageTool } from './cpu/load-average.ts';
import { reloadConfigTool } from './daemon/reload-config.ts';
import { systemControlTool } from './kernel/system-control.ts';
import { memoryUsageTool } from './memory/usage.ts';

test('cpu/load-average', async () => {
  const outcome = outcomeOf({ '1_min': 0.52, '5_min': 0.5, '15_min': 12 });
  assert.equal(await textOf(loadAverageTool.text(outcome, optionsOf({}))), 'Load Average: 0.52, 0.50, 12.00');
});

test('cpu/list', async () => {
  const first = { vendor_id: 'GenuineIntel', 'model name': 'Xeon', 'cpu MHz': '2100.000', 'cache size': '16384 KB' };
  const summary = { architecture: 'x86_64', processors: 4, sockets: 1, cores_per_socket: 2, threads_per_core: 2 };
  const topology = `CPU Information (Total Processors: 4)
Architecture: x86_64
Sockets: 1
Cores per socket: 2
Threads per core: 2`;
  const model = '\nVendor ID: GenuineIntel\nModel Name: Xeon\nCPU MHz: 2100.000\nCache Size: 16384 KB';
  const text = (of: Record<string, string>, topologyOnly: boolean) =>
    textOf(cpuListTool.text(outcomeOf({ ...summary, first: of }), optionsOf({ topology_only: topologyOnly })));
  assert.equal(await text(first, false), topology + model);
  assert.equal(await text(first, true), topology);
  assert.equal(await text({ BogoMIPS: '50.00' }, false), `${topology}\nBogoMIPS: 50.00`);
});

const MEMORY = {
  total: 16_777_216_000,
  used: 4_000_000_000,
  free: 9_000_000_000,
  shared: 20_480,
  buffCache: 3_777_216_000,
  available: 12_000_000_000,
  swap_total: 1024,
  swap_used: 0,
  swap_free: 1024,
};

test('memory/usage', async () => {
  assert.equal(
    await textOf(memoryUsageTool.text(outcomeOf(MEMORY), optionsOf({}))),
    `             total        used        free  shared  buff/cache    available
Mem:   16777216000  4000000000  9000000000   20480  3777216000  12000000000
Swap:         1024           0        1024`,
  );
  assert.equal(
    await textOf(memoryUsageTool.text(outcomeOf(MEMORY), optionsOf({}, { human: true }))),
    `          total     used     free    shared  buff/cache  available
Mem:   15.6 GiB  3.7 GiB  8.4 GiB  20.0 KiB     3.5 GiB   11.2 GiB
Swap:   1.0 KiB      0 B  1.0 KiB`,
  );
});

test('memory/usage in detail', async () => {
  const detailed = { ...MEMORY, meminfo: { MemTotal: 1024 }, raw: 'MemTotal: 1 kB\n' };
  const text = await textOf(memoryUsageTool.text(outcomeOf(detailed), optionsOf({ detailed: true })));
  assert.ok(text.endsWith(' 1024\n\nMemTotal: 1 kB'));
  const json = memoryUsageTool.json?.(outcomeOf(detailed), optionsOf({ detailed: true }, { form: 'json' }));
  assert.deepEqual(JSON.parse(await textOf(json ?? { text: '' })), { ...MEMORY, meminfo: { MemTotal: 1024 } });
});

test('auth/sudo-rules', async () => {
  const rules = { Tools: {}, Resources: { 'file://': ['/var/log'] } };
  const expected = `Your authorized privileged tools:\n${JSON.stringify(rules, null, 2)}`;
  assert.equal(await textOf(sudoRulesTool.text(outcomeOf(rules), optionsOf({}))), expected);
  const none = 'You have no privileged tools authorized in grants.yaml.';
  assert.equal(await textOf(sudoRulesTool.text(outcomeOf({}), optionsOf({}))), none);
});

test('daemon/reload-config', async () => {
  const report = { files: ['/c/a'], changes: [], closed_sessions: 0, needs_restart: [] };
  const text = (dryRun: boolean) => textOf(reloadConfigTool.text(outcomeOf(report), optionsOf({ dry_run: dryRun })));
  assert.equal(await text(false), 'Reloaded /c/a.\nNo changes.');
  assert.equal(await text(true), 'Dry run: would reload /c/a.\nNo changes.');
  assert.equal(reloadConfigTool.changes?.({}), false);
});

const READ = { action: 'read', key: 'vm', previous: null, unreadable: 0, truncated: false } as const;

function sysctl(result: Parameters<typeof outcomeOf>[0], records: readonly SysctlRecord[]): Promise<string> {
  return textOf(systemControlTool.text(outcomeOf({ ...READ, ...(result as object) }, records), optionsOf({})));
}

test('kernel/system-control reads', async () => {
  const records = [
    { key: 'kernel.modprobe', value: '' },
    { key: 'kernel.two', value: 'a\nb' },
    { key: 'net.ipv4.tcp_rmem', value: '4096\t131072' },
  ];
  const lines = 'kernel.modprobe = \nkernel.two = a\nkernel.two = b\nnet.ipv4.tcp_rmem = 4096\t131072';
  assert.equal(await sysctl({}, records), lines);
  assert.equal(
    await sysctl({ unreadable: 3, truncated: true }, records),
    `${lines}\n# 3 keys could not be read\n[WARNING: Output truncated at 4 MiB]`,
  );
});

test('kernel/system-control writes', async () => {
  const records = [{ key: 'vm.swappiness', value: '10' }];
  assert.equal(await sysctl({ action: 'write', previous: '60' }, records), 'vm.swappiness = 10');
  assert.equal(await sysctl({ action: 'dry_run', previous: '60' }, records), 'Dry run: vm.swappiness = 60 -> 10');
  assert.equal(await sysctl({ action: 'dry_run' }, records), 'Dry run: vm.swappiness = (unreadable) -> 10');
  assert.equal(
    await sysctl({ action: 'write', key: 'vm.drop_caches', unreadable: 1 }, []),
    '# vm.drop_caches was written; it cannot be read back',
  );
});

test('kernel/system-control takes numbers and switches, and knows when it changes something', () => {
  const prepare = (value: unknown): unknown => systemControlTool.prepare?.({ key: 'k', value })['value'];
  assert.deepEqual([true, false, 10, 1.5, 'x', ''].map(prepare), ['1', '0', '10', '1.5', 'x', '']);
  assert.deepEqual(systemControlTool.prepare?.({ key: 'k' }), { key: 'k' });
  assert.deepEqual(prepare(['1']), ['1']);
  const changes = (args: Record<string, unknown>): unknown => systemControlTool.changes?.(args);
  assert.deepEqual([{}, { value: '' }, { value: '1' }, { value: '1', dry_run: true }].map(changes), [false, false, true, false]);
});
