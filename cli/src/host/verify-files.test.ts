/** The checks of `stewardctl verify` that look at files, on trees: each holds on a good one and says what is wrong with another. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { checkConfiguration, checkSecrets, loadOrReason } from './verify-config.ts';
import { judgeEntry, type Finding, type Installation } from './verify-finding.ts';
import { checkNothingElse, checkShipped, SUMS } from './verify-package.ts';
import { directoryFor, type Cleanup } from '../testing/host.ts';

const [UID, GID] = [process.getuid!(), process.getgid!()];
const NODE = '/usr/lib/steward/node';
const UNIT = '/usr/lib/systemd/system/steward-frontend.service';

function put(root: string, path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
  chmodSync(join(root, path), mode);
}

/** An installed package of two files, and a document that was not unpacked. */
function installed(context: Cleanup): Installation {
  const root = mkdtempSync(join(tmpdir(), 'steward-verify-'));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  const sums = [NODE, UNIT, '/usr/share/doc/steward/README.md'].map(
    (path) => `${createHash('md5').update(path).digest('hex')}  ${path.slice(1)}\n`,
  );
  put(root, NODE, NODE, 0o755);
  put(root, UNIT, UNIT);
  put(root, SUMS, sums.join(''));
  chmodSync(join(root, dirname(NODE)), 0o755);
  return { root, owner: UID, groups: [GID] };
}

const wrongOf = async (finding: Finding | Promise<Finding>): Promise<string> => (await finding).wrong.join('\n');

test('a package is as it was shipped until a file is changed, opened, replaced or removed', async (context) => {
  const good = await checkShipped(installed(context));
  assert.deepEqual([good.wrong, good.holds.slice(0, 10)], [[], '2 programs']);
  const cases: [(host: Installation) => void, string][] = [
    [({ root }) => appendFileSync(join(root, NODE), '!'), `${NODE}: is not as it was shipped`],
    [({ root }) => chmodSync(join(root, UNIT), 0o664), `${UNIT}: has mode 0664, at most 0755 is right`],
    [({ root }) => chmodSync(join(root, NODE), 0o4755), `${NODE}: has mode 4755, at most 0755 is right`],
    [({ root }) => chmodSync(join(root, dirname(NODE)), 0o777), '/usr/lib/steward: has mode 0777, at most 0755 is right'],
    [({ root }) => rmSync(join(root, UNIT)), `${UNIT}: `],
  ];
  for (const [spoil, line] of cases) {
    const host = installed(context);
    spoil(host);
    assert.ok((await wrongOf(checkShipped(host))).startsWith(line), line);
  }
  const linked = installed(context);
  rmSync(join(linked.root, NODE));
  symlinkSync('/bin/true', join(linked.root, NODE));
  assert.equal(await wrongOf(checkShipped(linked)), `${NODE}: is no regular file`);
  const foreign = { ...installed(context), owner: UID + 1 };
  assert.match(await wrongOf(checkShipped(foreign)), new RegExp(`^${NODE}: belongs to uid ${UID}, not ${UID + 1}$`, 'm'));
  const empty = installed(context);
  put(empty.root, SUMS, '');
  assert.match(await wrongOf(checkShipped(empty)), /names no program/);
});

test('a file beside the programs, and a unit in the place of a shipped one, are found', (context) => {
  const host = installed(context);
  put(host.root, '/etc/systemd/system/steward-frontend.service.d/own.conf', '[Service]\n');
  assert.deepEqual(checkNothingElse(host).wrong, []);
  put(host.root, '/usr/lib/steward/extra', '', 0o755);
  symlinkSync('/dev/null', join(host.root, '/etc/systemd/system/steward-frontend.service'));
  assert.deepEqual(checkNothingElse(host).wrong, [
    '/usr/lib/steward/extra: is not of the package',
    '/etc/systemd/system/steward-frontend.service: is used instead of the shipped unit',
  ]);
});

test('mode bits may speak only of the groups that are known', (context) => {
  const host = { ...installed(context), groups: [GID + 1] };
  assert.deepEqual(judgeEntry(host, { path: UNIT, kind: 'file', most: 0o644 }), [`${UNIT}: is open to gid ${GID}`]);
  chmodSync(join(host.root, UNIT), 0o600);
  assert.deepEqual(judgeEntry(host, { path: UNIT, kind: 'file', most: 0o644 }), []);
});

test('a configuration that others can read, or that does not load, is found', (context) => {
  const directory = directoryFor(context);
  const host: Installation = { root: '/', owner: UID, groups: [GID] };
  const check = (): readonly string[] => checkConfiguration(host, directory, loadOrReason(directory)).wrong;
  assert.deepEqual(check(), []);
  chmodSync(join(directory, 'users.yaml'), 0o640);
  assert.deepEqual(check(), [`${directory}/users.yaml: has mode 0640, at most 0600 is right`]);
  chmodSync(join(directory, 'users.yaml'), 0o600);
  chmodSync(directory, 0o755);
  assert.deepEqual(check(), [`${directory}: has mode 0755, at most 0750 is right`]);
  chmodSync(directory, 0o700);
  writeFileSync(join(directory, 'grants.yaml'), 'version: 2\n');
  assert.match(check().join('\n'), /^\/.*grants\.yaml:1: version/);
});

test('a TLS key, a state directory and a log that others can read are found, and a socket that is none', async (context) => {
  const { root } = installed(context);
  const directory = directoryFor({ after: (fn) => context.after(fn) });
  const config = loadOrReason(directory);
  assert.ok(typeof config !== 'string');
  // The fixture's root stands before every path, so also before those of the configuration.
  const host: Installation = { root, owner: UID, groups: [GID] };
  for (const path of ['/var/lib/steward', '/run/steward', join(directory, 'audit')]) {
    mkdirSync(join(root, path), { recursive: true });
    chmodSync(join(root, path), 0o700);
  }
  put(root, join(directory, 'tls/steward.key'), 'key', 0o600);
  put(root, join(directory, 'tls/steward.crt'), 'certificate');
  const socket = join(root, '/run/steward/broker.sock');
  const server = createServer().listen(socket);
  await new Promise((done) => server.once('listening', done));
  context.after(() => server.close());
  chmodSync(socket, 0o660);
  assert.deepEqual(checkSecrets(host, config).wrong, []);
  chmodSync(join(root, directory, 'tls/steward.key'), 0o644);
  chmodSync(join(root, directory, 'audit'), 0o750);
  chmodSync(join(root, '/var/lib/steward'), 0o711);
  chmodSync(socket, 0o666);
  assert.deepEqual(
    checkSecrets(host, config).wrong.map((line) => line.replace(directory, '')),
    [
      '/var/lib/steward: has mode 0711, at most 0700 is right',
      '/run/steward/broker.sock: has mode 0666, at most 0660 is right',
      '/audit: has mode 0750, at most 0700 is right',
      '/tls/steward.key: has mode 0644, at most 0600 is right',
    ],
  );
});
