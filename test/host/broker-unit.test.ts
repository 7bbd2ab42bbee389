/**
 * The root side under systemd, from next door and from inside: who else comes to its socket, how often one may knock, and what a
 * program that somebody got to run in the broker's own sandbox can do there.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/pair.ts';
import { bootedHost } from '../support/host/suite.ts';
import { install, output } from '../support/inside/inside.ts';

const AUDIT = '/var/log/steward/audit';
const SOCKET = '/run/steward/broker.sock';
const NODE = '/usr/lib/steward/node';

const host = bootedHost({
  grants: '  ops:\n    tools:\n      files/read: {allowed: true, paths: [/etc]}\n',
  // a file system of its own that knows the flags of chattr(1)
  prepare: async (inside) => {
    await output(inside, 'mkdir', '-p', AUDIT);
    await output(inside, 'mount', '-t', 'tmpfs', '-o', 'mode=0700', 'tmpfs', AUDIT);
  },
});
const { skip } = host;

const READ = ['files/read', { path: '/etc/hostname', privileged: true }] as const;
const serves = async (): Promise<boolean> => !(await (await host.as('ops')).call(...READ)).isError;
const brokers = async (): Promise<string[]> =>
  (await host.run(['pgrep', '-f', '^steward-broker'])).stdout.split('\n').filter(Boolean);

/** Connects so many times, one after the other; each says `CODE bytes` or how it could not connect. */
const KNOCK = `
const { connect } = require('node:net');
const next = (left) => left === 0 || connect('${SOCKET}')
  .on('error', ({ code }) => (console.log(code), next(left - 1)))
  .on('data', (data) => console.log('heard', data.length))
  .on('connect', function () { this.once('close', () => (console.log('closed'), next(left - 1))).resume(); });
next(Number(process.argv[1]));`;

async function knock(account: string, times = 1): Promise<string[]> {
  const as = ['setpriv', `--reuid=${account}`, `--regid=${account === 'nobody' ? 'nogroup' : account}`, '--clear-groups', '--'];
  const { stdout } = await host.run([...as, NODE, '-e', KNOCK, String(times)]);
  return stdout.trim().split('\n');
}

// abuse 30: broker
test('nobody but the frontend’s account gets to the socket', { skip }, async () => {
  assert.deepEqual(await knock('nobody'), ['EACCES']);
  await output(host, 'setpriv', '--reuid=steward', '--regid=steward', '--clear-groups', '--', 'test', '-w', SOCKET);
});

// abuse 33: broker
test('a second connection is closed by systemd, and there is one broker', { skip }, async () => {
  assert.ok(await serves());
  const before = await brokers();
  assert.equal(before.length, 1);
  const [said] = await knock('steward');
  assert.match(said ?? '', /^(closed|EPIPE|ECONNRESET)$/);
  assert.deepEqual(await brokers(), before);
  assert.ok(await serves());
});

const PROBE = `
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, readdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
const codeOf = (act) => { try { const { error, status } = act() ?? {}; return error?.code ?? 'ok ' + (status ?? ''); }
  catch (error) { return error.code ?? error.name; } };
const segment = '${AUDIT}/' + readdirSync('${AUDIT}').find((name) => name.endsWith('.jsonl'));
copyFileSync('/usr/bin/true', '/srv/own');
chmodSync('/srv/own', 0o755);
const said = {
  shell: codeOf(() => spawnSync('/bin/sh', ['-c', 'true'])),
  own: codeOf(() => spawnSync('/srv/own')),
  named: codeOf(() => spawnSync('/usr/bin/journalctl', ['--version'])),
  unlink: codeOf(() => unlinkSync(segment)),
  rename: codeOf(() => renameSync(segment, segment + '.away')),
  configuration: codeOf(() => writeFileSync('/etc/steward/grants.yaml', 'x')),
  programs: codeOf(() => writeFileSync('/usr/lib/steward/broker.js', 'x')),
  eval: codeOf(() => eval('1')),
  compiled: codeOf(() => new Function('return 1')()),
  addon: codeOf(() => process.dlopen({ exports: {} }, '/srv/own')),
  prototype: codeOf(() => { Object.prototype.polluted = 1; }),
  assembly: codeOf(() => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))),
};
// one that leaves its group and does not listen to SIGTERM
const escaped = spawn('${NODE}', ['--jitless', '-e', "process.on('SIGTERM', () => 0); setInterval(() => 0, 1000) // escaped"],
  { detached: true, stdio: 'ignore' });
escaped.unref();
await new Promise((done) => setTimeout(done, 1000));
said.escaped = readFileSync('/proc/' + escaped.pid + '/stat', 'latin1').split(' ')[2];
const settle = (code) => { said.network = code; writeFileSync('/srv/said.json', JSON.stringify(said)); process.exit(); };
connect(22, '127.0.0.1').on('error', ({ code }) => settle(code)).on('connect', () => settle('connected'));
`;

/** An instance of the broker's unit with all of its confinement that runs the probe instead. */
async function probe(): Promise<Record<string, string>> {
  const unit = await output(host, 'cat', '/usr/lib/systemd/system/steward-broker@.service');
  const flags = /^ExecStart=\S+((?: --\S+)+) \S+\.js /m.exec(unit)?.[1] ?? assert.fail('the flags of the runtime');
  await install(host, '/usr/lib/steward/probe.js', PROBE);
  const dropIn = `[Service]\nType=oneshot\nStandardInput=null\nExecStart=\nExecStart=${NODE}${flags} /usr/lib/steward/probe.js\n`;
  await install(host, '/etc/systemd/system/steward-broker@probe.service.d/probe.conf', dropIn);
  await output(host, 'systemctl', 'daemon-reload');
  await host.run(['systemctl', 'start', 'steward-broker@probe.service']);
  return JSON.parse(await output(host, 'cat', '/srv/said.json')) as Record<string, string>;
}

// abuse 78, 82, 106, 111: broker
test(
  'what runs inside the broker’s sandbox gets no shell, no code, no network, and no record out of the log',
  { skip },
  async () => {
    await output(host, 'systemctl', 'start', 'steward-audit-rotate.service'); // it sets the flag again
    assert.match(await output(host, 'lsattr', '-d', AUDIT), /^-*a-* /);
    const segments = await output(host, 'ls', AUDIT);
    const said = await probe();
    assert.deepEqual(said, {
      ...{ shell: 'EACCES', own: 'EACCES', named: 'ok 0' },
      ...{ unlink: 'EPERM', rename: 'EPERM', configuration: 'EROFS', programs: 'EROFS' },
      ...{ eval: 'EvalError', compiled: 'EvalError', addon: 'ERR_DLOPEN_DISABLED', prototype: 'TypeError' },
      ...{ assembly: 'ReferenceError', network: 'EAFNOSUPPORT', escaped: 'S' },
    });
    assert.equal(await output(host, 'ls', AUDIT), segments);
    await eventually(async () => (await host.run(['pgrep', '-f', 'escaped'])).status === 1, 60_000);
  },
);

// abuse 34: broker
test(
  'a broker that is killed again and again comes back each time; who knocks too often closes the socket, for a while',
  { skip },
  async () => {
    const state = (): Promise<string> =>
      output(host, 'systemctl', 'show', '--property=ActiveState,Result', '--value', 'steward-broker.socket');
    for (let death = 0; death < 6; death += 1) {
      const [pid = ''] = await eventually(async () => ((await brokers()).length > 0 ? await brokers() : undefined), 60_000);
      await host.run(['kill', '-KILL', pid]);
    }
    assert.doesNotMatch(await state(), /trigger-limit-hit/);
    await eventually(serves, 60_000);
    const said = await knock('steward', 40);
    assert.ok(said.includes('ENOENT'), said.join(' '));
    assert.match(await state(), /trigger-limit-hit/);
    assert.equal((await host.run(['ls', SOCKET])).status, 2);
    // the connection that there is goes on; when it ends, the frontend finds no socket and starts afresh, and with it the socket
    await host.run(['kill', '-KILL', ...(await brokers())]);
    await eventually(async () => (await brokers()).length === 1 && /^active$/m.test(await state()), 120_000);
    const guest = await eventually(() => host.as('guest').catch(() => undefined), 60_000);
    assert.equal((await guest.call('auth/sudo-rules')).isError, false);
  },
);
