/** Edits of a real configuration directory: comments stay, results are valid, and nothing is lost. */
import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { hashToken } from '@steward/shared/config/token.ts';
import { directoryFor, GRANTS, run, USERS } from '../testing/host.ts';

const fileOf = (directory: string, name: string): string => readFileSync(join(directory, name), 'utf8');

test('a user is added with grants, and the printed token is the one that was stored', async (context) => {
  const dir = directoryFor(context);
  chmodSync(join(dir, 'grants.yaml'), 0o640);
  const { exit, out } = await run(
    dir,
    'users',
    'add',
    'bob',
    '--account=',
    '--not-after=2030-01-01T00:00:00Z',
    '--cidr=10.0.0.0/8',
    '--cidr=::1/128',
    '--grant=files/chown:paths=/srv/x,/srv/y',
    '--grant=kernel/system-control:sysctl.write_keys=vm.*',
    '--grant=logs/dmesg',
  );
  assert.equal(exit, 0);
  assert.match(out, /^[0-9a-f]{64}\n$/);
  const { users, grants } = loadSnapshot(dir);
  const bob = users[1];
  assert.ok(bob?.name === 'bob' && bob.account === '' && bob.not_after === '2030-01-01T00:00:00Z');
  assert.deepEqual(bob.cidrs, ['10.0.0.0/8', '::1/128']);
  const entry = bob.tokens[0]!;
  assert.equal(hashToken(entry.salt, out.trim()).toString('hex'), entry.hash);
  assert.deepEqual(grants['bob']?.tools['files/chown']?.paths, ['/srv/x', '/srv/y']);
  assert.deepEqual(grants['bob']?.tools['kernel/system-control']?.sysctl, { write_keys: ['vm.*'] });
  assert.equal(grants['bob']?.tools['logs/dmesg']?.allowed, true);
  for (const name of ['users.yaml', 'grants.yaml']) assert.ok(!fileOf(dir, name).includes(out.trim()));
  assert.equal(statSync(join(dir, 'grants.yaml')).mode & 0o777, 0o640);
  assert.equal(statSync(join(dir, 'users.yaml')).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(dir).sort(), ['.edit.lock', 'daemon.yaml', 'grants.yaml', 'users.yaml']);
  await assert.rejects(run(dir, 'users', 'add', 'bob'), { message: 'user bob exists already' });
});

test('edits keep comments, order and what they are not about', async (context) => {
  const dir = directoryFor(context);
  await run(dir, 'grants', 'add', 'alice', 'files/read', 'paths=/etc/nginx');
  await run(dir, 'grants', 'add', 'alice', 'services/manage', 'actions=restart,reload');
  const text = fileOf(dir, 'grants.yaml');
  for (const comment of ['# what they may do', '# logs only', '# reading', '# not more'])
    assert.ok(text.includes(comment), comment);
  assert.match(text, /files\/read: \{allowed: true, paths: \[\/var\/log, \/etc\/nginx\]\} # reading/);
  assert.ok(text.indexOf('files/read') < text.indexOf('services/manage'));
  assert.equal(fileOf(dir, 'users.yaml'), USERS);
});

test('grants grow, shrink and go', async (context) => {
  const dir = directoryFor(context);
  const tools = (): unknown =>
    JSON.parse(
      JSON.stringify(loadSnapshot(dir).grants['alice']?.tools, (key, value: unknown) => (key === 'line' ? undefined : value)),
    );
  await run(dir, 'grants', 'add', 'alice', 'cron/manage', 'users.www-data=edit', 'users.root=view');
  await run(dir, 'grants', 'add', 'alice', 'docker/exec', 'containers=web-*', 'commands=nginx -t', 'commands=ls');
  await run(dir, 'grants', 'add', 'alice', 'network/curl', 'network.deny_private=true', 'network.allow=10.0.0.0/8,*.example.com');
  await run(dir, 'grants', 'remove', 'alice', 'services/manage', 'units=nginx.service');
  const answer = await run(dir, 'grants', 'remove', 'alice', 'files/read');
  assert.equal(answer.out, 'alice: files/read no longer granted\n');
  assert.deepEqual(tools(), {
    'services/manage': { allowed: true, units: [] },
    'cron/manage': { allowed: true, users: { 'www-data': { view: true, edit: true }, root: { view: true, edit: false } } },
    'docker/exec': { allowed: true, containers: ['web-*'], commands: [['nginx', '-t'], ['ls']] },
    'network/curl': { allowed: true, network: { deny_private: true, deny: [], allow: ['10.0.0.0/8', '*.example.com'] } },
  });
  await run(dir, 'grants', 'add', 'alice', 'file://', '/var/log');
  await run(dir, 'grants', 'add', 'alice', 'file://', '/srv');
  await run(dir, 'grants', 'remove', 'alice', 'file://', '/var/log');
  assert.deepEqual(loadSnapshot(dir).grants['alice']?.resources['file://'], ['/srv']);
  await assert.rejects(run(dir, 'grants', 'remove', 'alice', 'files/read'), /not there/);
  await assert.rejects(run(dir, 'grants', 'remove', 'alice', 'docker/exec', 'containers=db'), {
    message: 'containers db: not there',
  });
});

test('what the daemon would refuse is refused before anything is written', async (context) => {
  const dir = directoryFor(context);
  const cases: [string[], RegExp][] = [
    [['grants', 'add', 'alice', 'files/read', 'paths=var'], /grants\.yaml:\d+: paths\[1\] must be an absolute path, got "var"$/],
    [['grants', 'add', 'alice', 'cron/manage', 'users.root=edit'], /edit must not be granted for root/],
    [['grants', 'add', 'alice', 'files/reed'], /^unknown tool "files\/reed" \(did you mean files\/read/],
    [['grants', 'add', 'alice', 'files/read', 'pathes=/x'], /^unknown key "pathes" \(keys of files\/read: allowed, paths\)$/],
    [['grants', 'add', 'nobody', 'files/read', 'paths=/x'], /^no such user: "nobody": stewardctl users list shows them$/],
    [['users', 'add', '1x'], /users\.yaml:\d+: name must be a user name/],
    [['users', 'add', 'x', '--account=root'], /account must not have uid 0/],
    [['users', 'add', 'x', '--cidr=10.0.0.0'], /cidrs\[0\] must be a network/],
    [['users', 'remove', 'x'], /^no such user: "x": stewardctl users list shows them$/],
    [['users', 'token', 'remove', 'alice', 'laptop'], /is the only token of alice/],
    [['users', 'token', 'add', 'alice', 'laptop'], /duplicate token id "laptop"/],
  ];
  for (const [line, message] of cases) await assert.rejects(run(dir, ...line), { message }, line.join(' '));
  assert.equal(fileOf(dir, 'grants.yaml'), GRANTS);
  assert.equal(fileOf(dir, 'users.yaml'), USERS);
});

test('tokens are added, rotated and removed', async (context) => {
  const dir = directoryFor(context);
  const first = await run(dir, 'users', 'token', 'add', 'alice', 'ci', '--not-after=2030-01-01T00:00:00Z');
  const second = await run(dir, 'users', 'token', 'rotate', 'alice', 'ci');
  const entry = loadSnapshot(dir).users[0]?.tokens[1];
  assert.equal(hashToken(entry?.salt ?? '', second.out.trim()).toString('hex'), entry?.hash);
  assert.notEqual(first.out, second.out);
  assert.equal(entry?.not_after, '2030-01-01T00:00:00Z');
  await run(dir, 'users', 'token', 'remove', 'alice', 'laptop');
  assert.deepEqual(
    loadSnapshot(dir).users[0]?.tokens.map(({ id }) => id),
    ['ci'],
  );
  assert.match(fileOf(dir, 'users.yaml'), /# the first one\n\s+- name: alice # admin/);
});

test('removing a user takes the grants along, and the last one leaves a valid file', async (context) => {
  const dir = directoryFor(context);
  await run(dir, 'users', 'remove', 'alice');
  const { users, grants } = loadSnapshot(dir);
  assert.deepEqual([users.length, Object.keys(grants)], [0, []]);
  await run(dir, 'users', 'add', 'carol', '--account=');
  await run(dir, 'grants', 'add', 'carol', 'logs/dmesg');
  assert.equal(loadSnapshot(dir).grants['carol']?.tools['logs/dmesg']?.allowed, true);
});

test('fifty edits at once lose nothing', async (context) => {
  const dir = directoryFor(context);
  await Promise.all(
    Array.from({ length: 50 }, (_, index) => run(dir, 'grants', 'add', 'alice', 'files/list', `paths=/srv/${index}`)),
  );
  const paths = loadSnapshot(dir).grants['alice']?.tools['files/list']?.paths ?? [];
  assert.deepEqual([...paths].sort(), Array.from({ length: 50 }, (_, index) => `/srv/${index}`).sort());
});

test('lists and checks', async (context) => {
  const dir = directoryFor(context);
  const users = await run(dir, 'users', 'list');
  assert.equal(users.out, 'USER   ACCOUNT  TOKENS  VALID UNTIL  FROM\nalice  -        laptop  -            -\n');
  const grants = await run(dir, 'grants', 'list', 'alice');
  assert.match(grants.out, /^alice {2}files\/read {7}paths \[\/var\/log\] {7}grants\.yaml:7$/m);
  await run(dir, 'grants', 'add', 'alice', 'files/find');
  const check = await run(dir, 'config', 'check');
  assert.match(
    check.err,
    /^warning: .*grants\.yaml:\d+: files\/find is allowed but has no paths: list, so it permits nothing\n$/,
  );
  assert.equal(check.out, `${dir} is good: 1 user, 3 grants, 1 warning\n`);
});
