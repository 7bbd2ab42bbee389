/** A kernel of its own: its log under dmesg_restrict, and parameters of every kind written; compared with dmesg and sysctl. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { output } from '../support/inside/inside.ts';
import type { Suite } from '../support/inside/suite.ts';

/** Key as it may be typed, value to write, and value as sysctl then shows it. */
const WRITES: readonly (readonly [key: string, value: string | number | boolean, held: string])[] = [
  ['vm.swappiness', 33, '33'],
  ['vm/dirty_ratio', '25', '25'],
  ['net.ipv4.ip_forward', true, '1'],
  ['net.ipv4.ip_local_port_range', '20000 30000', '20000\t30000'],
  ['net.ipv4.tcp_congestion_control', 'reno', 'reno'],
  ['net.core.somaxconn', 1234, '1234'],
  ['kernel.domainname', 'example.test', 'example.test'],
  ['kernel.printk', '3 4 1 3', '3\t4\t1\t3'],
  ['kernel.core_pattern', '/var/tmp/core.%p', '/var/tmp/core.%p'],
  ['fs.file-max', '1000000000000', '1000000000000'],
  // A name with a dot in it: with slashes the dots are its own.
  ['net/ipv4/conf/eth0.5/arp_ignore', 1, '1'],
];

export function kernelTests(machine: Suite): void {
  const { skip } = machine;
  const control = async (user: string, args: object) =>
    (await machine.as(user)).call('kernel/system-control', { privileged: true, ...args });

  test('parameters of every kind are written, as sysctl sees them', { skip }, async () => {
    await output(machine, 'modprobe', '8021q');
    await output(machine, 'ip', 'link', 'add', 'link', 'eth0', 'name', 'eth0.5', 'type', 'vlan', 'id', '5');
    for (const [key, value, held] of WRITES) {
      const before = (await machine.run(['sysctl', '-n', key])).stdout.trimEnd();
      assert.notEqual(before, held, `${key} holds the value already`);
      const dry = await control('ops', { key, value, dry_run: true });
      assert.ok(dry.text.startsWith('Dry run: ') && !dry.isError, dry.text);
      assert.equal((await machine.run(['sysctl', '-n', key])).stdout.trimEnd(), before, key);
      const { text, isError } = await control('ops', { key, value });
      assert.equal(isError, false, text);
      assert.equal(text.slice(text.indexOf(' = ') + 3), held, key);
      assert.equal(await output(machine, 'sysctl', '-n', key), held, key);
    }
  });

  test('a parameter that can only be written', { skip }, async () => {
    const { isError, text } = await control('ops', { key: 'vm.compact_memory', value: 1 });
    assert.equal(isError, false, text);
    const read = await control('ops', { key: 'vm.compact_memory' });
    assert.equal(read.text, 'cannot read vm.compact_memory: permission denied');
  });

  test('what the kernel refuses keeps its value', { skip }, async () => {
    const refused = await control('ops', { key: 'vm.overcommit_memory', value: '7' });
    assert.equal(refused.text, 'cannot write vm.overcommit_memory: invalid argument');
    assert.match(
      (await control('ops', { key: 'kernel.osrelease', value: '9' })).text,
      /^cannot write kernel\.osrelease: (permission denied|operation not permitted)$/,
    );
    assert.match(
      (await control('ops', { key: 'vm.no_such', value: '9' })).text,
      /^cannot stat vm\.no_such: no such file or directory$/,
    );
    assert.equal(await output(machine, 'sysctl', '-n', 'vm.overcommit_memory'), '0');
  });

  test('dangerous keys are not covered by a pattern', { skip }, async () => {
    const before = await output(machine, 'sysctl', '-n', 'kernel.modprobe');
    for (const key of ['kernel.modprobe', 'kernel.core_pattern', 'kernel/modprobe']) {
      const { text } = await control('narrow', { key, value: '/tmp/x' });
      const name = key.replace('/', '.');
      assert.equal(text, `writing ${name} is not permitted for this user (not in sysctl.write_keys in grants.yaml)`);
    }
    assert.equal(await output(machine, 'sysctl', '-n', 'kernel.modprobe'), before);
    assert.equal((await control('narrow', { key: 'kernel.panic', value: 5 })).text, 'kernel.panic = 5');
  });

  test('a subtree is what sysctl shows of it', { skip }, async () => {
    const { text } = await (await machine.as('guest')).call('kernel/system-control', { key: 'net.ipv4.conf.eth0' });
    const truth = (await output(machine, 'sysctl', '-a', '--pattern', '^net\\.ipv4\\.conf\\.eth0\\.')).split('\n');
    const readable = (lines: readonly string[]): string[] =>
      lines.filter((line) => line.startsWith('net.ipv4.conf.eth0.')).sort();
    assert.deepEqual(readable(text.split('\n')), readable(truth));
  });

  test('the kernel log under dmesg_restrict', { skip }, async () => {
    await output(machine, 'sysctl', '-q', '-w', 'kernel.dmesg_restrict=1');
    const guest = await machine.as('guest');
    const refused = await guest.call('logs/dmesg');
    assert.match(refused.text, /^failed to read kernel log: \/dev\/kmsg: (operation not permitted|permission denied)$/);
    const ops = await machine.as('ops');
    const hint = ' (logs/dmesg is granted to you as root in grants.yaml: retry with privileged: true)';
    assert.ok((await ops.call('logs/dmesg')).text.endsWith(hint));
    await sameAsDmesg((await ops.call('logs/dmesg', { privileged: true })).text);
    await output(machine, 'sysctl', '-q', '-w', 'kernel.dmesg_restrict=0');
    await sameAsDmesg((await guest.call('logs/dmesg')).text);
  });

  /** The answer is the end of the log, whole lines, at most 30 KiB of it. */
  async function sameAsDmesg(text: string): Promise<void> {
    const [first = '', ...rest] = text.split('\n');
    const lines = first.startsWith('[WARNING: Output truncated') ? rest : [first, ...rest];
    assert.ok(lines.length > 50 && Buffer.byteLength(lines.join('\n')) <= 30_720, String(lines.length));
    // dmesg moves the further lines of a message to the right.
    const truth = (await output(machine, 'dmesg', '--color=never')).split('\n').map((line) => line.trimStart());
    const found = lines.map((line) => line.trimStart());
    const at = truth.indexOf(found[0] ?? '');
    assert.deepEqual(found, truth.slice(at, at + found.length));
  }

  test('the kernel log by level', { skip }, async () => {
    await output(machine, 'sh', '-c', 'echo "<3>an error from the test" > /dev/kmsg');
    const ops = await machine.as('ops');
    const { text } = await ops.call('logs/dmesg', { level: 'err,crit', privileged: true, output_format: 'json' });
    const { entries } = JSON.parse(text) as { entries: { level: string; message: string }[] };
    const truth = (await output(machine, 'dmesg', '--level=err,crit', '--notime')).split('\n');
    assert.deepEqual(
      entries.flatMap(({ message }) => message.split('\n')),
      truth,
    );
    assert.ok(truth.includes('an error from the test'));
    const wrong = await ops.call('logs/dmesg', { level: 'loud', privileged: true });
    assert.match(wrong.text, /^invalid level "loud": expected comma-separated emerg, alert, crit/);
  });
}
