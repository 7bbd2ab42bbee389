/** grants check: which grants are pointed out, and with which exit status. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeEngine } from '@steward/shared/testing/fake-engine.ts';
import { directoryFor, run } from '../testing/host.ts';

async function findings(directory: string, tools: string, ...options: string[]): Promise<{ exit: number; lines: string[] }> {
  writeFileSync(join(directory, 'grants.yaml'), `version: 1\nusers:\n  alice:\n    tools:\n${tools}`, { mode: 0o600 });
  const { exit, out } = await run(directory, 'grants', 'check', ...options);
  return { exit, lines: out.split('\n').slice(0, -2) };
}

test('grants that amount to root are named with line and reason', async (context) => {
  const directory = directoryFor(context);
  for (const [grant, reason] of [
    ['files/create: {allowed: true, paths: [/etc/nginx]}', /files\/create on \/etc\/nginx: accounts, sudo rules/],
    ['files/update: {allowed: true, paths: [/]}', /files\/update on \/: /],
    ['files/chown: {allowed: true, paths: [/usr/local/bin]}', /programs that root runs/],
    ['files/chmod: {allowed: true, paths: [/var]}', /cron/],
    [
      'kernel/system-control: {allowed: true, sysctl: {write_keys: [kernel.core_pattern]}}',
      /kernel\.core_pattern names a program/,
    ],
    ['kernel/system-control: {allowed: true, sysctl: {write_keys: [fs.binfmt_misc.register]}}', /fs\.binfmt_misc\.register/],
  ] as const) {
    const { exit, lines } = await findings(directory, `      ${grant}\n`);
    assert.equal(exit, 0);
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0] ?? '', /grants\.yaml:5: amounts to root: alice /);
    assert.match(lines[0] ?? '', reason);
  }
  const both = `      files/chmod: {allowed: true, setid: true, paths: [/srv/x]}\n      files/chown: {allowed: true, paths: [/srv]}\n`;
  assert.match(
    (await findings(directory, both)).lines.join('\n'),
    /amounts to root: alice files\/chmod: setid together with files\/chown/,
  );
});

test('grants that are wider than they look', async (context) => {
  const directory = directoryFor(context);
  mkdirSync(join(directory, 'open'));
  chmodSync(join(directory, 'open'), 0o777);
  for (const [grant, reason] of [
    [`files/create: {allowed: true, paths: [${directory}/open]}`, /decides? what lies there/],
    ['files/read: {allowed: true, paths: [/etc]}', /password hashes/],
    ['services/manage: {allowed: true}', /every unit/],
    ['processes/delete: {allowed: true, owners: ["*"]}', /every account/],
    ['docker/exec: {allowed: true, containers: [web]}', /any command in web/],
    ['cron/manage: {allowed: true, users: {bin: {edit: true}}}', /crontab of bin/],
  ] as const) {
    const { lines } = await findings(directory, `      ${grant}\n`);
    assert.match(lines.join('\n'), reason, grant);
    assert.match(lines.join('\n'), /wider than it looks: alice/);
  }
});

test('harmless grants are passed over, odd entries are not, and --strict makes findings errors', async (context) => {
  const directory = directoryFor(context);
  const harmless =
    '      files/read: {allowed: true, paths: [/var/log]}\n      files/create: {allowed: false, paths: [/etc]}\n' +
    '      services/manage: {allowed: true, units: [nginx.service]}\n      docker/exec: {allowed: true, containers: [web], commands: [[nginx, -t]]}\n' +
    '      kernel/system-control: {allowed: true, sysctl: {write_keys: [vm.swappiness, "kernel.*"]}}\n';
  assert.deepEqual(await findings(directory, harmless, '--strict'), { exit: 0, lines: [] });
  const { exit, lines } = await findings(directory, '      files/read: {allowed: true}\n', '--strict');
  assert.equal(exit, 1);
  assert.match(lines.join('\n'), /files\/read is allowed but has no paths: list/);
});

const id = (digit: string): string => digit.repeat(64);

/** Containers as an engine tells of them: by name what is said of each. */
function engineOf(containers: Readonly<Record<string, object>>) {
  const listed = Object.keys(containers).map((name, at) => ({ Id: id(String(at)), Names: [`/${name}`] }));
  return fakeEngine({
    'GET /containers/json': listed,
    'GET /containers/{container}/json': (response, { url }) => {
      const at = listed.findIndex(({ Id }) => url.includes(Id));
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(Object.values(containers)[at]));
    },
  });
}

function useEngine(directory: string, socket: string): void {
  const daemon = `version: 1\nbroker: {frontend_account: nobody, engine_socket: ${socket}}\naudit: {directory: ${directory}/audit}\n`;
  writeFileSync(join(directory, 'daemon.yaml'), daemon, { mode: 0o600 });
}

test('commands in a container that is as good as root amount to root, and the engine says which one is', async (context) => {
  const directory = directoryFor(context);
  await using engine = await engineOf({
    web: { HostConfig: { Privileged: false, Binds: ['/srv/www:/www:ro'] }, Mounts: [{ Type: 'bind', Source: '/srv/www' }] },
    big: { HostConfig: { Privileged: true } },
    ci: { HostConfig: { Binds: ['/var/run/docker.sock:/var/run/docker.sock'] }, Mounts: [] },
    agent: { HostConfig: {}, Mounts: [{ Type: 'bind', Source: '/run' }] },
    backup: { HostConfig: {}, Mounts: [{ Type: 'bind', Source: '/' }] },
  });
  useEngine(directory, engine.socket);
  const of = async (grant: string): Promise<string[]> => {
    const { lines } = await findings(directory, `      docker/exec: {allowed: true, ${grant}}\n`);
    return lines.map((line) => line.slice(line.indexOf(':5: ') + 4));
  };
  const root = (name: string, reason: string): string => `amounts to root: alice docker/exec: any command in ${name}: ${reason}`;
  assert.deepEqual(await of('containers: [big]'), [root('big', 'it is privileged')]);
  assert.deepEqual(await of(`containers: ["${id('1').slice(0, 12)}"]`), [root('big', 'it is privileged')]);
  assert.deepEqual(await of('containers: [ci, backup]'), [
    root('ci', "it holds the engine's socket (/var/run/docker.sock is mounted in it)"),
    root('backup', "the host's root is mounted in it"),
  ]);
  assert.deepEqual(await of('containers: ["a*"]'), [root('agent', "it holds the engine's socket (/run is mounted in it)")]);
  assert.match((await of('containers: [web]')).join('\n'), /^wider than it looks: alice docker\/exec: any command in web: /);
  assert.equal((await of('containers: ["*"]')).length, 4);
  const asked = engine.calls.length;
  assert.deepEqual(await of('containers: [big], commands: [[ls]]'), []);
  assert.equal(engine.calls.length, asked, 'the engine is asked only where a grant depends on it');
});

test('an engine that cannot be asked is a note, no finding', async (context) => {
  const directory = directoryFor(context);
  useEngine(directory, join(directory, 'none.sock'));
  const { lines } = await findings(directory, '      docker/exec: {allowed: true, containers: [web]}\n');
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /^note: not known which containers are privileged or hold the host: .*none\.sock/);
  assert.match(lines[1] ?? '', /wider than it looks: alice docker\/exec: any command in web/);
});
