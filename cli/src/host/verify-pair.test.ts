/** The checks of `stewardctl verify` that look at processes, on trees like /proc. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { withFixture } from '@steward/shared/testing/fixture.ts';
import { capabilityNames } from './capabilities.ts';
import type { Finding } from './verify-finding.ts';
import { checkListening } from './verify-listen.ts';
import { BROKER_UNIT, checkBroker, checkFrontend, FRONTEND_UNIT, shippedCommand } from './verify-pair.ts';
import { unitProcesses } from './verify-processes.ts';

const UNIT = '/usr/lib/systemd/system/steward-frontend.service';
const COMMAND = ['/usr/lib/steward/node', '--jitless', '/usr/lib/steward/frontend.js'];
const NONE = '0000000000000000';
const FRONTEND = { pid: 10, unit: 'steward.slice/steward-frontend.service', uid: 998, set: NONE, exe: COMMAND[0]! };
/** Bounding set of the shipped unit: CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER, FSETID, KILL, NET_ADMIN, SYSLOG, SYS_PTRACE. */
const BROKER = { ...FRONTEND, pid: 20, unit: 'system-x.slice/steward-broker@0-7-998.service', uid: 0, set: '000000040008103f' };

type Shape = typeof FRONTEND & { readonly status?: string; readonly title?: string; readonly parent?: number };

/** One process as /proc shows it. `status`: lines that come before the good ones, so that they count. */
function shape({ pid, unit, uid, set, exe, status = '', title = 'steward-x', parent = 1 }: Shape): string {
  return `proc/${pid}/cgroup = 0::/system.slice/${unit}
proc/${pid}/exe -> ${exe}
proc/${pid}/cmdline = ${title}
proc/${pid}/status <<
Name:\tx
${status}
PPid:\t${parent}
Uid:\t${Array(4).fill(uid).join('\t')}
CapInh:\t${NONE}
CapPrm:\t${set}
CapEff:\t${set}
CapBnd:\t${set}
CapAmb:\t${NONE}
NoNewPrivs:\t1
Seccomp:\t2
>>
`;
}

const frontend = (text: string): Promise<Finding> =>
  withFixture(`proc/\n${text}`, (root) => checkFrontend(unitProcesses(root, FRONTEND_UNIT), 998, COMMAND));
const broker = (text: string): Promise<Finding> =>
  withFixture(`proc/\n${text}`, (root) => checkBroker(unitProcesses(root, BROKER_UNIT), COMMAND));

test('sets of capabilities are read by number', () => {
  assert.deepEqual(capabilityNames(0n), []);
  assert.deepEqual(capabilityNames(0x0000000400200021n), ['CHOWN', 'KILL', 'SYS_ADMIN', 'SYSLOG']);
  assert.deepEqual(capabilityNames((1n << 40n) | (1n << 63n)), ['CHECKPOINT_RESTORE', 'number 63']);
});

test('a frontend is confined until the kernel says otherwise', async () => {
  const good = await frontend(shape(FRONTEND) + shape({ ...BROKER, set: 'ffff' }));
  assert.deepEqual([good.wrong, good.holds.slice(0, 16)], [[], 'runs as uid 998,']);
  const cases: [string, RegExp][] = [
    ['', /^it does not run/],
    [shape({ ...FRONTEND, uid: 0 }), /^process 10: runs as uid 0, not 998$/],
    [shape({ ...FRONTEND, status: 'Uid:\t998\t0\t998\t998' }), /runs as uid 0, not 998/],
    [shape({ ...FRONTEND, set: '0000000000000001' }), /its effective capabilities hold CHOWN/],
    [shape({ ...FRONTEND, status: 'CapBnd:\t0000000000200000' }), /^process 10: its bounding capabilities hold SYS_ADMIN$/],
    [shape({ ...FRONTEND, status: 'NoNewPrivs:\t0' }), /NoNewPrivs is not 1/],
    [shape({ ...FRONTEND, status: 'Seccomp:\t0' }), /Seccomp is not 2/],
    [shape({ ...FRONTEND, exe: '/usr/bin/node' }), /runs \/usr\/bin\/node, not \/usr\/lib\/steward\/node/],
    [shape({ ...FRONTEND, exe: `${COMMAND[0]!} (deleted)` }), /runs .*\(deleted\), not/],
    // A program that it started is confined as well.
    [
      shape(FRONTEND) + shape({ ...FRONTEND, pid: 11, parent: 10, exe: '/bin/x', uid: 0 }),
      /^process 11: runs as uid 0, not 998$/,
    ],
  ];
  for (const [text, line] of cases) assert.match((await frontend(text)).wrong.join('\n'), line);
  for (const uid of [undefined, 0]) {
    await withFixture(shape(FRONTEND), (root) => {
      assert.match(checkFrontend(unitProcesses(root, FRONTEND_UNIT), uid, COMMAND).wrong.join('\n'), /no uid but 0/);
    });
  }
});

test('a broker may have what rows need, and no more', async () => {
  assert.deepEqual((await broker(shape(BROKER))).wrong, []);
  assert.match((await broker('')).holds, /^none runs/);
  const smart = await broker(shape({ ...BROKER, set: '000000040028103f' }));
  assert.match(`${smart.wrong.join()}${smart.holds}`, /^runs as root .* with those for SMART/);
  const more = await broker(shape({ ...BROKER, status: 'CapBnd:\t00000004000910bf' }));
  assert.deepEqual(more.wrong, ['process 20: its bounding capabilities hold SETUID, SYS_MODULE']);
  assert.match((await broker(shape({ ...BROKER, uid: 5 }))).wrong.join(), /runs as uid 5, not 0/);
  assert.match((await broker(shape({ ...BROKER, status: 'NoNewPrivs:\t0' }))).wrong.join(), /NoNewPrivs/);
});

test('a command line that is visible is that of the unit', async () => {
  const text = `${shape(FRONTEND)}${UNIT.slice(1)} <<\n[Service]\nExecReload=/bin/x\nExecStart=${COMMAND.join(' ')}\n>>\n`;
  const titled = (title: string): Promise<readonly string[]> =>
    withFixture(text, (root) => {
      writeFileSync(`${root}/proc/10/cmdline`, title);
      return checkFrontend(unitProcesses(root, FRONTEND_UNIT), 998, shippedCommand(root, 'steward-frontend.service')).wrong;
    });
  assert.deepEqual(await titled(`${COMMAND.join('\0')}\0`), []);
  assert.deepEqual(await titled('steward-frontend\0\0\0'), []);
  assert.match((await titled(`${COMMAND[0]!}\0${COMMAND[2]!}\0`)).join(), /^process 10: was not started with the command line/);
});

test('a socket of the root side that listens is found, a connection is none', async () => {
  const proc = (name: string, held: number): string => `proc/20/fd/0 -> socket:[${held}]
proc/20/fd/1 -> /dev/null
proc/20/net/tcp <<
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:2383 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 71 1 0 100 0 0 10 0
   1: 0100007F:2383 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 72 1 0 100 0 0 10 0
>>
proc/20/net/udp <<
   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  100: 00000000:0044 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 73 2 0 0
>>
proc/20/net/${name} <<
Num       RefCount Protocol Flags    Type St Inode Path
0: 00000002 00000000 00010000 0001 01 74 /run/x.sock
0: 00000003 00000000 00000000 0001 03 75 /run/steward/broker.sock
>>
`;
  const found = (held: number): Promise<readonly string[]> =>
    withFixture(proc('unix', held), (root) => checkListening(root, [20, 21]).wrong);
  for (const connected of [72, 75]) assert.deepEqual(await found(connected), []);
  assert.deepEqual(await found(71), ['process 20: listens (tcp, socket 71)']);
  assert.deepEqual(await found(73), ['process 20: listens (udp, socket 73)']);
  assert.deepEqual(await found(74), ['process 20: listens (unix, socket 74)']);
});
