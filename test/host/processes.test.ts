/** processes/delete, list and top on a booted host: signals to processes of other accounts, and who is never signalled. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedHost } from '../support/host/suite.ts';
import { output } from '../support/inside/inside.ts';
import { eventually } from '../support/pair.ts';

const host = bootedHost({
  users: ['ops', 'narrow', 'guest'],
  accounts: ['alice', 'bob'],
  grants:
    '  ops:\n    tools:\n      processes/delete: {allowed: true}\n' +
    '  narrow:\n    tools:\n      processes/delete: {allowed: true, signals: [TERM, HUP], owners: [alice]}\n' +
    '    resources:\n      "process://": [alice]\n',
});
const { skip } = host;

async function signal(user: string, pid: number, args: object = { privileged: true }) {
  return (await host.as(user)).call('processes/delete', { pid, ...args });
}

const isThere = async (pid: number): Promise<boolean> => (await host.run(['test', '-d', `/proc/${pid}`])).status === 0;

/** A sleeping process of that account; its id inside. */
async function sleeper(account: string): Promise<number> {
  const unit = `sleeper-${Math.random().toString(36).slice(2)}.service`;
  await output(host, 'systemd-run', '--quiet', `--unit=${unit}`, `--uid=${account}`, '--', 'sleep', 'infinity');
  const pid = Number(await output(host, 'systemctl', 'show', '--value', '--property=MainPID', unit));
  await eventually(async () => (await output(host, 'ps', '-o', 'comm=', '-p', String(pid))) === 'sleep');
  return pid;
}

test('a process of another account is ended with the grant', { skip }, async () => {
  const pid = await sleeper('alice');
  const dry = await signal('ops', pid, { privileged: true, dry_run: true });
  assert.equal(dry.text, `Dry run: would send SIGTERM to process ${pid} (sleep, owner alice)`);
  assert.equal(await isThere(pid), true);
  assert.equal((await signal('ops', pid)).text, `Successfully sent signal SIGTERM to process ${pid}`);
  await eventually(async () => !(await isThere(pid)));
  assert.equal((await signal('ops', pid)).text, `no such process: ${pid}`);
});

test('stopped and continued, as ps sees it', { skip }, async () => {
  const pid = await sleeper('bob');
  const state = (): Promise<string> => output(host, 'ps', '-o', 'state=', '-p', String(pid));
  const json = { privileged: true, output_format: 'json' };
  const sent = JSON.parse((await signal('ops', pid, { ...json, signal: 'stop' })).text) as object;
  assert.deepEqual(sent, { pid, signal: 'SIGSTOP', result: 'sent' });
  await eventually(async () => (await state()) === 'T');
  await signal('ops', pid, { privileged: true, signal: 'SIGCONT' });
  await eventually(async () => (await state()) === 'S');
  await signal('ops', pid, { privileged: true, signal: 'KILL' });
  await eventually(async () => !(await isThere(pid)));
});

test('the lists of signals and owners narrow a grant', { skip }, async () => {
  const [alices, bobs] = [await sleeper('alice'), await sleeper('bob')];
  const list = "it is not in this tool's signals: list in grants.yaml";
  assert.equal(
    (await signal('narrow', alices, { privileged: true, signal: 'KILL' })).text,
    `not authorized to send SIGKILL: ${list}`,
  );
  assert.equal(
    (await signal('narrow', bobs)).text,
    `not authorized to signal process ${bobs}: its owner bob is not in this tool's owners: list in grants.yaml`,
  );
  assert.equal((await signal('narrow', alices)).isError, false);
  await eventually(async () => !(await isThere(alices)));
  assert.equal(await isThere(bobs), true);
});

test('without root another account is out of reach', { skip }, async () => {
  const pid = await sleeper('bob');
  const refusal = `not permitted to signal process ${pid} (owned by another user - retry with privileged: true if authorized)`;
  assert.ok((await signal('guest', pid, {})).text.startsWith(refusal));
  assert.match((await signal('guest', pid)).text, /^Permission denied: user guest is not authorized to use privileged: true/);
  assert.equal(await isThere(pid), true);
});

test('init, kernel threads and steward are never signalled', { skip }, async () => {
  const own = (await output(host, 'pgrep', '-f', '^steward-')).split('\n').map(Number);
  assert.equal(own.length, 2, own.join());
  for (const pid of [1, ...own]) {
    for (const dry_run of [true, false]) {
      const { text, isError } = await signal('ops', pid, { privileged: true, signal: 'SIGKILL', dry_run });
      assert.equal(text, `refusing to signal protected PID ${pid}`);
      assert.equal(isError, true);
    }
    assert.equal(await isThere(pid), true);
  }
});

test('the list of processes is that of ps', { skip }, async () => {
  await sleeper('alice');
  const guest = await host.as('guest');
  const { text } = await guest.call('processes/list', { user: 'alice', output_format: 'json' });
  const found = JSON.parse(text) as { pid: number; ppid: number; user: string; comm: string; cmdline: string }[];
  const expected = (await output(host, 'ps', '-U', 'alice', '-o', 'pid=,ppid=,user=,comm=,args=')).split('\n');
  assert.deepEqual(
    found.map(({ pid, ppid, user, comm, cmdline }) => [pid, ppid, user, comm, cmdline].join(' ')),
    expected.map((line) => line.trim().replace(/\s+/g, ' ')),
  );
});

test('limits and open files of another account need the resource grant', { skip }, async () => {
  const pid = await sleeper('alice');
  const read = (user: string, target: string) => host.resource(user, `process://${pid}/${target}`);
  const files = JSON.parse(await read('narrow', 'open_files')) as { fd: string; target: string }[];
  assert.deepEqual(
    files.map(({ fd }) => fd),
    (await output(host, 'ls', '-v', `/proc/${pid}/fd`)).split('\n'),
  );
  await assert.rejects(read('guest', 'open_files'), /permission denied \(user guest is not authorized to read process:/);
  await assert.rejects(read('narrow', 'environ'), /unsupported target: environ/);
});
