/** The report of a reload, line by line, and what is applied of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffSnapshots, type SnapshotDiff } from './diff.ts';
import { parseSnapshot } from './load.ts';
import type { ConfigSnapshot } from './types.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');

interface Parts {
  readonly daemon?: string;
  readonly users?: string;
  readonly grants?: string;
}

function snapshot({ daemon = '', users = '  []', grants = '  {}' }: Parts): ConfigSnapshot {
  const texts = {
    daemon: `version: 1\n${daemon}`,
    users: `version: 1\nusers:\n${users}\n`,
    grants: `version: 1\nusers:\n${grants}\n`,
  };
  return parseSnapshot(texts, '/etc/steward', new Map([['root', 0]]));
}

function diff(before: Parts, after: Parts): SnapshotDiff {
  return diffSnapshots(snapshot(before), snapshot(after), NOW);
}

let serial = 0;
/** A token entry with a secret of its own, or the given one. */
function token(id: string, secret = (serial += 1), rest = ''): string {
  return `{id: ${id}, salt: "${String(secret).padStart(32, '0')}", hash: "${String(secret).padStart(64, '0')}"${rest}}`;
}
const user = (name: string, tokens: string[], rest = ''): string => `  - {name: ${name}${rest}, tokens: [${tokens.join(', ')}]}`;
const grant = (name: string, body: string): string => `  ${name}: {tools: {${body}}}`;

test('the lines of a report', () => {
  const before = {
    users: user('bob', [token('desk', 1), token('laptop', 2)]),
    grants: `${grant('alice', 'docker/prune: {allowed: true, prune: [images]}')}\n${grant('bob', 'disks/usage: {allowed: true, paths: [/]}')}`,
    daemon: 'limits: {requests_per_second: 50}\nserver: {listen: ["0.0.0.0:9091"]}\n',
  };
  const after = {
    users: `${user('alice', [token('a', 3)])}\n${user('bob', [token('desk', 1)])}`,
    grants:
      '  alice:\n    tools: {files/read: {allowed: true, paths: [/var/log]}, docker/prune: {allowed: true, prune: [images, volumes]}}\n' +
      '    resources: {"file://": [/var/log]}',
    daemon: 'limits: {requests_per_second: 20}\nserver: {listen: ["127.0.0.1:9091"]}\n',
  };
  const { changes, needsRestart, closed, applied } = diff(before, after);
  assert.deepEqual(changes, [
    'user alice: added',
    'user bob: token laptop removed',
    'grants alice: + files/read (paths [/var/log])',
    'grants alice: ~ docker/prune (prune [images] -> [images, volumes])',
    'grants bob: - disks/usage',
    'resources alice: + file:// [/var/log]',
    'daemon: limits.requests_per_second 50 -> 20',
  ]);
  assert.deepEqual(needsRestart, ['daemon: server.listen [0.0.0.0:9091] -> [127.0.0.1:9091]']);
  assert.deepEqual(closed, [{ user: 'bob', token: 'laptop' }]);
  assert.deepEqual(applied.daemon.server.listen, ['0.0.0.0:9091']);
  assert.equal(applied.daemon.limits.requests_per_second, 20);
  assert.ok(Object.isFrozen(applied.daemon));
});

test('no difference gives no line, and a key that waits for a restart is reported again', () => {
  const parts = { users: user('a', [token('x', 1)]), daemon: 'metrics: {listen: "127.0.0.1:1"}\n' };
  assert.deepEqual(diff(parts, parts).changes, []);
  const changed = { ...parts, daemon: 'metrics: {listen: ""}\n' };
  const first = diff(parts, changed);
  assert.deepEqual(first.needsRestart, ['daemon: metrics.listen 127.0.0.1:1 -> ""']);
  assert.deepEqual(diffSnapshots(first.applied, snapshot(changed), NOW).needsRestart, first.needsRestart);
});

const GRANT_CASES: readonly (readonly [before: string, after: string, expected: string[]])[] = [
  ['', 'logs/dmesg: {allowed: true}', ['grants u: + logs/dmesg']],
  ['', 'logs/dmesg: {allowed: false}', ['grants u: + logs/dmesg (allowed false)']],
  ['logs/dmesg: {allowed: true}', 'logs/dmesg: {}', ['grants u: ~ logs/dmesg (allowed true -> false)']],
  ['files/chmod: {paths: [/a]}', 'files/chmod: {paths: [/a], setid: true}', ['grants u: ~ files/chmod (setid none -> true)']],
  ['services/manage: {units: [a]}', 'services/manage: {}', ['grants u: ~ services/manage (units [a] -> none)']],
  ['services/manage: {}', 'services/manage: {units: []}', ['grants u: ~ services/manage (units none -> [])']],
  [
    'kernel/system-control: {sysctl: {write_keys: [vm.a]}}',
    'kernel/system-control: {sysctl: {write_keys: [vm.b]}}',
    ['grants u: ~ kernel/system-control (sysctl.write_keys [vm.a] -> [vm.b])'],
  ],
  ['', 'docker/exec: {allowed: true, commands: [[ls, "-l"]]}', ['grants u: + docker/exec (commands [[ls, -l]])']],
  [
    '',
    'cron/manage: {allowed: true, users: {w: {edit: true}}}',
    ['grants u: + cron/manage (users {w: {view: true, edit: true}})'],
  ],
  // A grant that only moved to another line is the same grant.
  [
    'logs/dmesg: {allowed: true}, logs/logins: {allowed: true}',
    '\n      logs/logins: {allowed: true}, logs/dmesg: {allowed: true}',
    [],
  ],
];
for (const [before, after, expected] of GRANT_CASES) {
  test(`grant {${before}} -> {${after.trim()}}`, () => {
    assert.deepEqual(diff({ grants: grant('u', before) }, { grants: grant('u', after) }).changes, expected);
  });
}

test('sessions end with the conditions under which they were opened', () => {
  const before = user('u', [token('x', 7)]);
  const cases: [string, string[], boolean][] = [
    [user('u', [token('x', 7)]), [], false],
    [user('u', [token('x', 8)]), ['user u: token x changed'], true],
    [
      user('u', [token('x', 7, ', not_after: 2020-01-01T00:00:00Z')]),
      ['user u: token x not_after none -> 2020-01-01T00:00:00Z'],
      true,
    ],
    [user('u', [token('x', 7, ', cidrs: [10.0.0.0/8]')]), ['user u: token x cidrs none -> [10.0.0.0/8]'], true],
    [user('u', [token('x', 7)], ', cidrs: [10.0.0.0/8]'), ['user u: cidrs none -> [10.0.0.0/8]'], true],
    [user('u', [token('x', 7)], ', not_after: 2026-11-20T12:00:00Z'), ['user u: not_after none -> 2026-11-20T12:00:00Z'], true],
    [user('u', [token('x', 7)], ', not_after: 2026-11-20T12:00:01Z'), ['user u: not_after none -> 2026-11-20T12:00:01Z'], false],
    [user('u', [token('x', 7), token('y', 9)]), ['user u: token y added'], false],
    ['  []', ['user u: removed'], true],
  ];
  for (const [after, lines, ends] of cases) {
    const { changes, closed } = diff({ users: before }, { users: after });
    assert.deepEqual(changes, lines);
    assert.deepEqual(closed, ends ? [{ user: 'u', token: 'x' }] : []);
  }
});

test('nothing secret is ever shown', () => {
  const { changes } = diff({ users: user('u', [token('x', 71)]) }, { users: user('u', [token('x', 72)]) });
  assert.doesNotMatch(changes.join('\n'), /7[12]/);
});
