/** What the two processes are: their accounts, capabilities, descriptors and sockets, seen from outside while the pair works. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { eventually, isRoot, startPair, type Pair } from '../support/pair.ts';

let pair: Pair;

before(async () => {
  const grants =
    '  ops:\n    tools:\n      files/list: {allowed: true, paths: [/etc]}\n      processes/delete: {allowed: true}\n';
  pair = await startPair({ grants });
  const client = await pair.connect('ops');
  assert.equal((await client.call('files/list', { path: '/etc', privileged: true })).isError, false);
});
after(() => pair.stop());

function status(pid: number): Map<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
}

function only(title: 'steward-broker' | 'steward-frontend'): number {
  const pids = pair.pids(title);
  assert.equal(pids.length, 1, `${title}: ${pids.join()}`);
  return pids[0] ?? 0;
}

/** Inodes of the process's sockets that stand in a table of /proc/net. */
function socketsIn(pid: number, table: string): string[] {
  const own = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  const rows = readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1);
  return rows.filter((row) =>
    row
      .trim()
      .split(/\s+/)
      .some((field) => own.has(field)),
  );
}

const NETWORK_TABLES = ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6', 'packet'];

test('the frontend has no root identity and no capability', { skip: !isRoot && 'needs root' }, () => {
  const facts = status(only('steward-frontend'));
  for (const field of ['Uid', 'Gid']) {
    assert.ok(
      facts
        .get(field)
        ?.split(/\s+/)
        .every((id) => id !== '0'),
      `${field}: ${facts.get(field)}`,
    );
  }
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) assert.match(facts.get(set) ?? '', /^0+$/, set);
  assert.equal(facts.get('Groups'), '');
  assert.equal(facts.get('NoNewPrivs'), '1');
});

test('the broker is root with a bounded set of capabilities', { skip: !isRoot && 'needs root' }, () => {
  const facts = status(only('steward-broker'));
  assert.match(facts.get('Uid') ?? '', /^0\s/);
  const bounding = BigInt(`0x${facts.get('CapBnd')}`);
  const SYS_ADMIN = 1n << 21n;
  const SYS_MODULE = 1n << 16n;
  const NET_RAW = 1n << 13n;
  const SETUID = 1n << 7n;
  const CHOWN = 1n;
  assert.equal(bounding & (SYS_ADMIN | SYS_MODULE | NET_RAW | SETUID), 0n);
  assert.equal(bounding & CHOWN, CHOWN);
});

test('the broker has no network socket and listens nowhere', () => {
  const pid = only('steward-broker');
  for (const table of NETWORK_TABLES) assert.deepEqual(socketsIn(pid, table), [], table);
  const LISTENING = '00010000'; // __SO_ACCEPTCON in the flags column, unix(7)
  assert.deepEqual(
    socketsIn(pid, 'unix').filter((row) => row.trim().split(/\s+/)[3] === LISTENING),
    [],
  );
});

test('the broker holds only descriptors that it needs', async () => {
  const pid = only('steward-broker');
  const unexpected = (): string[] =>
    readdirSync(`/proc/${pid}/fd`)
      .flatMap((fd) => {
        try {
          return [`${fd} ${readlinkSync(`/proc/${pid}/fd/${fd}`)}`];
        } catch {
          return [];
        }
      })
      .filter((line) => {
        const [fd, target] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)];
        const standard = Number(fd) <= 2;
        const runtime = /^(anon_inode:\[(eventpoll|io_uring|eventfd)\]|pipe:\[\d+\]|\/dev\/null)$/.test(target);
        const audit = target === pair.auditDir || target.startsWith(`${pair.auditDir}/`);
        return !standard && !runtime && !audit;
      });
  await eventually(() => unexpected().length === 0).catch(() => assert.deepEqual(unexpected(), []));
});

test('no token, key or other secret is on a command line or in an environment', () => {
  const secret = pair.token('ops');
  for (const pid of [pair.launcher.pid ?? 0, only('steward-broker'), only('steward-frontend')]) {
    for (const file of ['cmdline', 'environ']) {
      const text = readFileSync(`/proc/${pid}/${file}`, 'latin1');
      assert.ok(!text.includes(secret) && !text.includes('PRIVATE KEY'), `${pid} ${file}`);
    }
  }
});

/** Whether it is one of the kernel's own: PF_KTHREAD in the flags of proc_pid_stat(5). */
function isKernelThread(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[6]) & 0x0020_0000) !== 0;
}

test('nobody signals init, the kernel, or the pair with its launcher', async () => {
  const client = await pair.connect('ops');
  const own = [pair.launcher.pid ?? 0, only('steward-broker'), only('steward-frontend')];
  const kernel = existsSync('/proc/2/stat') && isKernelThread(2) ? [2] : [];
  for (const pid of [1, ...kernel, ...own]) {
    for (const privileged of isRoot ? [false, true] : [false]) {
      for (const more of [{}, { dry_run: true }]) {
        const { text, code } = await client.call('processes/delete', { pid, signal: 'KILL', privileged, ...more });
        assert.deepEqual([text, code], [`refusing to signal protected PID ${pid}`, 'PROTECTED']);
      }
    }
  }
  for (const pid of own) assert.doesNotThrow(() => process.kill(pid, 0));
});
