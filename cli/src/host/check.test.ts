/** grants check: which grants are pointed out, and with which exit status. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
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
