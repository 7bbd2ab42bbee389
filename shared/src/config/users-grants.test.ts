/** users.yaml and grants.yaml: what is accepted, the text and line of faults, and the warnings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOOL_FACTS, type ToolName } from '../catalogue/facts.ts';
import { parseGrants } from './grants.ts';
import { ConfigError, type UserGrants } from './types.ts';
import { parseUsers } from './users.ts';

const ACCOUNTS = new Map([
  ['root', 0],
  ['toor', 0],
  ['www-data', 33],
]);
const SALT = '00112233445566778899aabbccddeeff';
const HASH = 'ab'.repeat(32);

const users = (body: string): string => `version: 1\nusers:\n${body}`;
const token = (id: string, salt = SALT): string => `{id: ${id}, salt: "${salt}", hash: "${HASH}"}`;
const grants = (tools: string): string => `version: 1\nusers:\n  alice:\n    tools:\n      ${tools}\n`;
const resources = (body: string): string => `version: 1\nusers:\n  alice:\n    resources:\n      ${body}\n`;

function fault(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return `${error.line}: ${error.reason}`;
  }
  return 'accepted';
}

const usersFault = (source: string): string => fault(() => parseUsers(source, '/u.yaml', ACCOUNTS));
const grantsFault = (source: string): string => fault(() => parseGrants(source, '/g.yaml', undefined, ACCOUNTS));

/** alice's grants, as plain data. */
function read(source: string): UserGrants {
  const { grants: all } = parseGrants(source, '/g.yaml', undefined, ACCOUNTS);
  return JSON.parse(JSON.stringify(all['alice'])) as UserGrants;
}

test('users with their tokens', () => {
  const source = users(
    `  - name: alice\n    cidrs: ["10.0.0.0/8"]\n    tokens:\n      - ${token('laptop')}\n` +
      `  - {name: bob, account: "", account_uid: 1001, not_after: 2027-06-30T00:00:00Z, tokens: [${token('ci', 'FF'.repeat(16))}]}\n`,
  );
  const [alice, bob] = parseUsers(source, '/u.yaml', ACCOUNTS);
  assert.deepEqual(alice, {
    name: 'alice',
    account: 'alice',
    cidrs: ['10.0.0.0/8'],
    tokens: [{ id: 'laptop', salt: SALT, hash: HASH }],
  });
  assert.deepEqual([bob?.account, bob?.account_uid, bob?.tokens[0]?.salt], ['', 1001, 'ff'.repeat(16)]);
  assert.deepEqual(parseUsers('version: 1\nusers: []\n', '/u.yaml'), []);
});

const USER_FAULTS: readonly (readonly [string, string])[] = [
  ['version: 1\n', '1: users is required'],
  ['version: 1\nusers: {}\n', '2: users must be a list'],
  [users('  - name: alice\n'), '3: tokens is required'],
  [users('  - name: alice\n    tokens: []\n'), '4: tokens must be a list of 1 to 16 entries'],
  [
    users(`  - name: 1x\n    tokens: [${token('a')}]\n`),
    '3: name must be a user name (letters, digits, _ . -, at most 64), got "1x"',
  ],
  [users(`  - name: a\n    tokens: [${token('A')}]\n`), '4: id must be a token id (a-z, 0-9, _ and -, at most 32), got "A"'],
  [users(`  - name: a\n    tokens:\n    - ${token('a')}\n    - ${token('a', 'ff'.repeat(16))}\n`), '6: duplicate token id "a"'],
  [users(`  - {name: a, tokens: [${token('a')}]}\n  - {name: a, tokens: [${token('b')}]}\n`), '4: duplicate user "a"'],
  [
    users(`  - {name: a, tokens: [${token('a')}]}\n  - {name: b, tokens: [${token('b')}]}\n`),
    '2: token b of user b has the secret of another token',
  ],
  [users(`  - {name: root, tokens: [${token('a')}]}\n`), '3: user root: account must not have uid 0 (account: "" for none)'],
  [
    users(`  - {name: a, account: toor, tokens: [${token('a')}]}\n`),
    '3: user a: account must not have uid 0 (account: "" for none)',
  ],
  [
    users(`  - {name: a, account_uid: 0, tokens: [${token('a')}]}\n`),
    '3: user a: account must not have uid 0 (account: "" for none)',
  ],
  [
    users(`  - {name: a, cidrs: [10.0.0.0], tokens: [${token('a')}]}\n`),
    '3: cidrs[0] must be a network like 10.0.0.0/8, got "10.0.0.0"',
  ],
  [
    users(`  - {name: a, not_after: 2027-02-29T00:00:00Z, tokens: [${token('a')}]}\n`),
    '3: not_after must be a time like 2027-06-30T00:00:00Z, got "2027-02-29T00:00:00Z"',
  ],
  [
    users(`  - {name: a, not_after: 2027-06-30, tokens: [${token('a')}]}\n`),
    '3: not_after must be a time like 2027-06-30T00:00:00Z, got "2027-06-30"',
  ],
  [users(`  - {name: a, tokens: [{id: a, salt: "${SALT}", hash: "dead"}]}\n`), '3: hash must be 64 hexadecimal digits'],
  [users(`  - {name: a, tokens: [{id: a, salt: 5, hash: "${HASH}"}]}\n`), '3: salt must be a string (write it in quotes)'],
];
for (const [source, expected] of USER_FAULTS) test(`users: ${expected}`, () => assert.equal(usersFault(source), expected));

// abuse 109: broker
test('every key of every tool is accepted where it belongs, and only there', () => {
  const values: Record<string, string> = {
    paths: '[/srv]',
    setid: 'true',
    units: '["app@*.service"]',
    actions: '[restart]',
    signals: '[SIGTERM, hup]',
    owners: '[www-data, "1001", "*"]',
    devices: '["sd*"]',
    sysctl: '{write_keys: ["vm.*"]}',
    users: '{www-data: {edit: true}}',
    containers: '["web-*"]',
    commands: '[[nginx, "-t"], []]',
    prune: '[images, build-cache]',
    network: '{deny_private: true, allow: [10.0.0.0/8, "*.example.com", bad.example.com, 192.0.2.1]}',
  };
  for (const name of Object.keys(TOOL_FACTS) as ToolName[]) {
    const taken: readonly string[] = TOOL_FACTS[name].restrictions;
    for (const [key, value] of Object.entries(values)) {
      const expected = taken.includes(key)
        ? 'accepted'
        : `5: unknown key "${key}" (known here: ${['allowed', ...taken].join(', ')})`;
      assert.equal(grantsFault(grants(`${name}: {allowed: true, ${key}: ${value}}`)), expected);
    }
  }
});

test('values are kept in their canonical form', () => {
  assert.deepEqual(read(grants('files/read: {allowed: true, paths: [//srv/x/, /]}')).tools['files/read'], {
    allowed: true,
    paths: ['/srv/x', '/'],
    line: 5,
  });
  assert.deepEqual(read(grants('processes/delete: {signals: [SIGTERM, hup]}')).tools['processes/delete'], {
    allowed: false,
    signals: ['TERM', 'HUP'],
    line: 5,
  });
  assert.deepEqual(
    read(grants('cron/manage: {allowed: true, users: {www-data: {edit: true}, root: {view: true}}}')).tools['cron/manage']?.users,
    {
      'www-data': { view: true, edit: true },
      root: { view: true, edit: false },
    },
  );
  assert.deepEqual(read(resources('"file://": ["", /srv]')).resources, { 'file://': ['*', '/srv'] });
});

const GRANT_FAULTS: readonly (readonly [string, string])[] = [
  [grants('files/reed: {allowed: true}'), '5: unknown tool "files/reed"'],
  [grants('audit/watch: {allowed: true, paths: [/]}'), '5: unknown key "paths" (known here: allowed)'],
  [grants('files/read:\n        allowed: true\n        pathes: [/]'), '7: unknown key "pathes" (known here: allowed, paths)'],
  [grants('files/read: {paths: [srv]}'), '5: paths[0] must be an absolute path, got "srv"'],
  [grants('files/read: {paths: [/srv/../etc]}'), '5: paths[0] must be an absolute path without . and .., got "/srv/../etc"'],
  [grants('files/read: {paths: /srv}'), '5: paths must be a list'],
  [grants('files/read: {allowed: "true"}'), '5: allowed must be true or false'],
  [grants('services/manage: {units: ["a[b"]}'), '5: units[0] must be a valid glob, got "a[b"'],
  [grants('services/manage: {actions: [mask]}'), '5: actions[0] must be one of start, stop, restart, reload, enable, disable'],
  [grants('processes/delete: {signals: [BOOM]}'), '5: signals[0] must be a signal name like TERM, got "BOOM"'],
  [grants('processes/delete: {owners: [1001]}'), '5: owners[0] must be a string (write it in quotes)'],
  [
    grants('docker/prune: {prune: [everything]}'),
    '5: prune[0] must be one of containers, images, volumes, networks, build-cache',
  ],
  [grants('disks/health: {devices: [/dev/sda]}'), '5: devices[0] must be a glob of kernel device names, got "/dev/sda"'],
  [grants('kernel/system-control: {sysctl: {}}'), '5: write_keys is required'],
  [
    grants('kernel/system-control: {sysctl: {write_keys: ["vm..x"]}}'),
    '5: write_keys[0] must be a sysctl key or glob like net.ipv4.*, got "vm..x"',
  ],
  [grants('cron/manage: {users: {root: {edit: true}}}'), '5: edit must not be granted for root: it has uid 0'],
  [grants('cron/manage: {users: {toor: {edit: true}}}'), '5: edit must not be granted for toor: it has uid 0'],
  [
    grants('network/curl: {network: {allow: ["-x"]}}'),
    '5: allow[0] must be a network, an address, a host name or *.domain, got "-x"',
  ],
  [
    resources('"crontab://": ["*"]'),
    `5: unknown key "crontab://" (known here: file://, service://, process://, docker-container://, docker-image://, docker-volume://, docker-network://, devices://dmi)`,
  ],
  [resources('"devices://dmi": [x]'), '5: devices://dmi[0] must be "*"'],
  [resources('"file://": [etc]'), '5: file://[0] must be an absolute path, got "etc"'],
  ['version: 1\nusers:\n  "a b": {}\n', '3: "a b" is not a user name'],
  ['version: 1\nusers:\n  alice: {tool: {}}\n', '3: unknown key "tool" (known here: tools, resources)'],
];
for (const [source, expected] of GRANT_FAULTS)
  test(`grants: ${expected.slice(0, 90)}`, () => assert.equal(grantsFault(source), expected));

test('mistakes that are no faults are pointed at', () => {
  const source =
    'version: 1\nusers:\n  alice:\n    tools:\n      files/read: {allowed: true}\n      docker/exec: {allowed: true, containers: []}\n' +
    '      kernel/system-control: {allowed: true}\n      files/list: {paths: [/]}\n  bob: {}\n';
  const alice = parseUsers(users(`  - {name: alice, tokens: [${token('a')}]}\n`), '/u.yaml');
  assert.deepEqual(parseGrants(source, '/g.yaml', alice).warnings, [
    '/g.yaml:5: files/read is allowed but has no paths: list, so it permits nothing',
    '/g.yaml:7: kernel/system-control is allowed but has no sysctl: list, so it permits no writes',
    '/g.yaml:9: user "bob" is not in users.yaml, so these grants have no effect',
  ]);
});

test('a user named like a property of objects is a user and nothing else', () => {
  const { grants: all } = parseGrants('version: 1\nusers:\n  __proto__: {tools: {logs/dmesg: {allowed: true}}}\n', '/g.yaml');
  assert.deepEqual(Object.keys(all), ['__proto__']);
  assert.equal(all['toString'], undefined);
  assert.equal(({} as Record<string, unknown>)['tools'], undefined);
});
