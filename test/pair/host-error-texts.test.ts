/** Texts with which the tools on disks, processes, network, services, logs and crontabs refuse, as clients see them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import type { SseClient } from '../support/sse-client.ts';

/** No number of a process: pid_max is at most 2^22. */
const NOBODY = 4_194_305;
const sleeper = spawn('/bin/sleep', ['900'], { stdio: 'ignore' });

let pair: Pair;
let ops: SseClient;

const GRANTS = `  ops:
    tools:
      disks/free: {allowed: true, paths: [/nonexistent]}
      disks/usage: {allowed: true}
      disks/health: {allowed: true, devices: ["nvme*"]}
      processes/delete: {allowed: true, signals: [TERM], owners: [nobody]}
      network/ping: {network: {deny: ["198.51.100.0/24", "bad.example"]}}
      network/curl: {network: {deny_private: true, allow: ["*.example"]}}
      network/nslookup: {network: {deny_private: true}}
      cron/manage: {allowed: true, users: {nobody: {view: true}, root: {view: true}}}
      docker/manage: {allowed: true, containers: ["*"]}
      docker/prune: {allowed: true, prune: [images]}
`;

before(async () => {
  pair = await startPair({ grants: GRANTS });
  ops = await pair.connect('ops');
});
after(async () => {
  sleeper.kill('SIGKILL');
  await pair.stop();
});

type Case = readonly [tool: string, args: Record<string, unknown>, text: string];

const root = true;
const DESTINATION = "blocked by this user's network policy";

const CASES: readonly Case[] = [
  ['disks/free', { path: '/nonexistent' }, 'failed to stat filesystem: /nonexistent: no such file or directory'],
  ['disks/free', { path: 'x' }, 'path must be absolute, got "x"'],
  ['disks/usage', { path: '/nonexistent' }, 'failed to access path /nonexistent: no such file or directory'],
  [
    'disks/usage',
    { path: '/', privileged: root },
    'Permission denied: the disks/usage grant of user ops in grants.yaml has no paths: list, so it permits nothing',
  ],
  ['disks/usage', {}, 'path argument is required'],
  ['disks/performance', { device: 'sdzz' }, 'no such block device "sdzz" (see disks/list for device names)'],
  ['disks/health', { device: '/dev/sda' }, 'invalid device name "/dev/sda": expected a kernel name such as sda, not a path'],
  ['disks/health', { device: 'sdzz' }, 'no such block device "sdzz" (see disks/list for device names)'],
  ['disks/partitions', { device: 'sdzz' }, 'no partitions found for device "sdzz" (check disks/list for valid device names)'],
  [
    'disks/list',
    { privileged: root },
    'Permission denied: user ops is not authorized to use privileged: true for disks/list (no grant for it in grants.yaml)',
  ],
  ['processes/list', { sort_by: 'rss' }, 'invalid sort_by "rss" (pid, mem, cpu)'],
  ['processes/list', { limit: -1 }, 'limit must be at least 0'],
  ['processes/delete', { pid: 0 }, 'pid must be at least 1'],
  ['processes/delete', { pid: 1 }, 'refusing to signal protected PID 1'],
  ['processes/delete', { pid: NOBODY }, `no such process: ${NOBODY}`],
  [
    'processes/delete',
    { pid: 5, signal: '9' },
    'invalid signal "9" (SIGTERM, SIGKILL, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGSTOP, SIGCONT, SIGABRT)',
  ],
  [
    'processes/delete',
    { pid: sleeper.pid, signal: 'KILL', privileged: root },
    "not authorized to send SIGKILL: it is not in this tool's signals: list in grants.yaml",
  ],
  ['network/nslookup', { host: '-x' }, 'invalid host "-x"'],
  [
    'network/nslookup',
    { host: 'localhost', record_type: 'SOA' },
    'unsupported record type "SOA" (A, AAAA, CNAME, TXT, MX, NS, ANY)',
  ],
  [
    'network/nslookup',
    { host: '127.0.0.1' },
    `destination 127.0.0.1 is a private/internal address, ${DESTINATION} (deny_private)`,
  ],
  ['network/ping', { host: '127.0.0.1', port: 0 }, 'port must be at least 1'],
  ['network/ping', { host: '127.0.0.1', port: 65_536 }, 'port must be at most 65535'],
  ['network/ping', { host: '198.51.100.7' }, `destination 198.51.100.7 is ${DESTINATION} (deny list)`],
  ['network/ping', { host: 'bad.example' }, `destination bad.example is ${DESTINATION} (deny list)`],
  ['network/curl', { url: 'ftp://x/' }, 'invalid url "ftp://x/": expected http:// or https://'],
  ['network/curl', { url: 'http://other.test/' }, `destination other.test is ${DESTINATION} (allow list)`],
  ['network/curl', { url: 'http://a.example/', method: 'CONNECT' }, 'invalid method "CONNECT"'],
  ['network/curl', { url: 'http://a.example/', headers: { 'Proxy-X': 'y' } }, 'header "Proxy-X" is not allowed'],
  ['network/curl', { url: 'http://a.example/', headers: 'x' }, 'headers must be an object of strings'],
  ['network/curl', { url: 'http://a.example/', timeout: 'x' }, 'timeout must be a number'],
  ['network/trace-path', { host: 'a b' }, 'invalid host "a b"'],
  ['services/manage', { service: '-x', action: 'start' }, 'invalid unit name "-x"'],
  [
    'services/manage',
    { service: 'x', action: 'kill' },
    'unsupported action: kill (start, stop, restart, reload, enable, disable)',
  ],
  [
    'services/manage',
    { service: 'steward-broker.socket', action: 'stop' },
    "refusing to control steward's own unit: steward-broker.socket",
  ],
  ['logs/journal-control', { unit: 'a\nb' }, 'invalid unit "a\nb"'],
  ['logs/journal-control', { until: 'x'.repeat(256) }, `invalid until "${'x'.repeat(256)}"`],
  [
    'logs/dmesg',
    { level: 'loud' },
    'invalid level "loud": expected comma-separated emerg, alert, crit, err, warn, notice, info, debug',
  ],
  ['logs/logins', { type: 'foo' }, 'invalid type "foo": must be "success" or "failed"'],
  ['logs/logins', { user: '-x' }, 'invalid user "-x"'],
  [
    'kernel/system-control',
    { key: 'vm.swappiness', value: '1' },
    'Permission denied: writing vm.swappiness needs privileged: true and a kernel/system-control grant in grants.yaml',
  ],
  ['kernel/system-control', { key: 'a..b' }, 'invalid key "a..b": expected a sysctl name like net.ipv4.ip_forward'],
  ['cron/manage', {}, 'user ops has no OS account on this host, so there is no own crontab'],
  ['cron/manage', { user: '-x' }, 'invalid account name "-x"'],
  [
    'cron/manage',
    { user: 'nobody' },
    "another account's crontab needs privileged: true and a rule for nobody in your cron/manage grant (users: {nobody: {view: true}})",
  ],
  ['cron/manage', { user: 'no-such', privileged: root }, 'no account named no-such on this host'],
  [
    'cron/manage',
    { user: 'daemon', privileged: root },
    "user ops may not view daemon's crontab: no rule for it in the cron/manage grant (users:)",
  ],
  [
    'cron/manage',
    { user: 'nobody', content: '', privileged: root },
    "user ops may not edit nobody's crontab: the cron/manage grant gives nobody view only",
  ],
  [
    'cron/manage',
    { user: 'daemon', content: '', privileged: root },
    "user ops may not edit daemon's crontab: no rule for it in the cron/manage grant (users:)",
  ],
  [
    'cron/manage',
    { user: 'root', content: '', privileged: root },
    "root's crontab may be viewed but never edited through steward",
  ],
  ['cron/manage', { content: 7 }, 'content must be a string (an empty string clears the crontab)'],
  ['cron/manage', { content: 'a\0' }, 'content must not contain NUL bytes'],
  ['cron/manage', { content: 'x'.repeat(65_537) }, 'content is 65537 bytes, the limit is 65536'],
  ['cron/manage', { content: 'x', if_match: 'y' }, 'if_match must be 64 hexadecimal digits'],
  [
    'docker/containers',
    {},
    'user ops is not authorized to run docker/containers: the container engine socket belongs to root, so every docker/* tool needs allowed: true in its grant in grants.yaml',
  ],
  [
    'docker/manage',
    { container: 'x', action: 'explode' },
    'unknown action "explode": use one of kill, pause, restart, start, stop, unpause, remove',
  ],
  ['docker/manage', { action: 'start' }, 'container name or ID is required'],
  ['docker/prune', {}, 'target is required: name the one kind to reclaim (containers, images, volumes, networks, build-cache)'],
  [
    'docker/prune',
    { target: 'all' },
    'unknown prune target "all": use one of containers, images, volumes, networks, build-cache',
  ],
  ['files/chown', { path: '/nonexistent', owner: ':nogroup' }, 'failed to change owner: /nonexistent: no such file or directory'],
];

const named = (args: object): string => JSON.stringify(args).slice(0, 80);

for (const [tool, args, text] of CASES) {
  const needsRoot = args['privileged'] === true && !isRoot;
  test(`${tool} ${named(args)}`, { skip: needsRoot && 'needs root' }, async () => {
    const answer = await ops.call(tool, args);
    assert.deepEqual([answer.text, answer.isError], [text, true]);
  });
}

test('processes of others: unprivileged, and outside of the owners of the grant', { skip: !isRoot && 'needs root' }, async () => {
  const pid = sleeper.pid ?? 0;
  const plain = await ops.call('processes/delete', { pid });
  const hint = ' (processes/delete is granted to you as root in grants.yaml: retry with privileged: true)';
  const refusal = `not permitted to signal process ${pid} (owned by another user - retry with privileged: true if authorized)`;
  assert.equal(plain.text, refusal + hint);
  const other = await ops.call('processes/delete', { pid, privileged: true });
  assert.equal(
    other.text,
    `not authorized to signal process ${pid}: its owner root is not in this tool's owners: list in grants.yaml`,
  );
});

test('a form that is wrong is said to those without a grant too', async () => {
  const guest = await pair.connect('guest');
  const said = async (tool: string, args: object): Promise<string> =>
    (await guest.call(tool, { ...args, privileged: true })).text;
  assert.equal(await said('files/read', { path: 'x' }), 'path must be absolute, got "x"');
  assert.equal(await said('files/create', { path: '/x', if_sha256: 'abc' }), 'if_sha256 must be 64 hexadecimal digits');
  assert.match(await said('files/read', { path: '/x' }), /^Permission denied: user guest is not authorized/);
});

test('crontabs and lists of them without a grant', async () => {
  const guest = await pair.connect('guest');
  const granted = 'no cron/manage grant with allowed: true in grants.yaml';
  const other = await guest.call('cron/manage', { user: 'nobody', privileged: true });
  assert.equal(other.text, `user guest is not authorized to run cron/manage on another account: ${granted}`);
  const list = await guest.call('cron/manage', { privileged: true });
  assert.equal(list.text, `user guest is not authorized to list crontabs: ${granted}`);
});

test('an unknown state names all that are known', async () => {
  const { text } = await ops.call('network/connections', { state: 'x' });
  assert.match(text, /^unknown connection state "x" \(valid, case-insensitive: (listen|[a-z0-9-]+)(, [a-z0-9-]+){15,}\)$/);
});
