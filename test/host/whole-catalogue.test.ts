/** Every tool of the host, every fixed resource and every template of the host answers on a booted system, in every form it has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpDouble } from '@steward/shared/testing/http-server.ts';
import { asBoth, listedTools } from '../support/every-call.ts';
import { goodArguments } from '../support/good-arguments.ts';
import { bootedHost } from '../support/host/suite.ts';
import { install, output } from '../support/inside/inside.ts';

const DIRECTORY = '/srv/whole';
const FORMS = ['text', 'json', 'yaml', 'table', 'wide'];
const ON_PATHS = ['list', 'read', 'create', 'update', 'find', 'filetype', 'chmod', 'chown'].map((name) => `files/${name}`);
const PLAIN = [
  ...['disks/list', 'disks/mounts', 'processes/list', 'processes/top', 'processes/delete', 'network/connections'],
  ...['services/manage', 'services/list', 'timers/list', 'system/packages', 'users/list', 'daemon/reload-config'],
  ...['logs/journal-control', 'logs/dmesg', 'logs/logins'],
];

const host = bootedHost({
  grants: [
    '  ops:\n    tools:\n',
    ...[...ON_PATHS, 'disks/free', 'disks/usage'].map((tool) => `      ${tool}: {allowed: true, paths: [${DIRECTORY}]}\n`),
    ...PLAIN.map((tool) => `      ${tool}: {allowed: true}\n`),
    '      kernel/system-control: {allowed: true, sysctl: {write_keys: [vm.*]}}\n',
    '      cron/manage: {allowed: true, users: {nobody: {view: true}}}\n',
    '    resources:\n      "process://": ["*"]\n',
  ].join(''),
  prepare: async (inside) => {
    for (const name of ['file', 'other']) await install(inside, `${DIRECTORY}/${name}`, 'one\ntwo\n', '666');
    await output(inside, 'chmod', '777', DIRECTORY);
    await output(inside, 'systemd-run', '--quiet', '--unit=whole.service', '--uid=steward', '--', 'sleep', 'infinity');
  },
});
const { skip } = host;

const mainPid = async (): Promise<number> =>
  Number(await output(host, 'systemctl', 'show', '--value', '--property=MainPID', 'whole.service'));

test('every tool, unprivileged and as root, in every form', { skip }, async () => {
  // This machine's loopback is the host's.
  await using web = await httpDouble((_request, response) => void response.end('ok'));
  const ops = await host.as('ops');
  const pid = await mainPid();
  const good: Readonly<Record<string, object>> = {
    ...goodArguments({ directory: DIRECTORY, pid, port: web.port }),
    'network/nslookup': { host: '127.0.0.1' }, // There is no /etc/hosts.
    'services/manage': { service: 'whole', action: 'restart', dry_run: true },
  };
  const failed: string[] = [];
  for (const tool of await listedTools(ops)) {
    // An engine and a disk with SMART are elsewhere.
    if (tool.name.startsWith('docker/') || tool.name === 'disks/health') continue;
    const forms = 'output_format' in tool.inputSchema.properties ? FORMS : [undefined];
    for (const output_format of forms) {
      const args = { ...good[tool.name], ...(output_format === undefined ? {} : { output_format }) };
      for (const call of asBoth(tool, args)) {
        const { text, isError } = await ops.call(call.tool, call.args);
        if (isError && !needsRoot(tool.name, call.args)) failed.push(`${call.tool} ${JSON.stringify(call.args)}: ${text}`);
        if (output_format === 'json' && !isError && tool.name !== 'logs/journal-control') JSON.parse(text);
      }
    }
  }
  assert.deepEqual(failed, []);
});

/** What the frontend's account has no right to on this host: others' files, most of its directories, units, and both logs. */
const ROOT_ONLY = ['create', 'update', 'chown', 'chmod'].map((name) => `files/${name}`);
const needsRoot = (tool: string, { privileged }: { readonly privileged?: unknown }): boolean =>
  privileged !== true && [...ROOT_ONLY, 'logs/dmesg', 'logs/journal-control', 'services/manage'].includes(tool);

test('every fixed resource', { skip }, async () => {
  const { result } = await (await host.as('guest')).rpc('resources/list');
  const uris = (result?.['resources'] as { uri: string }[]).map(({ uri }) => uri);
  assert.equal(uris.length, 11);
  for (const uri of uris) {
    const text = await host.resource('guest', uri).catch((error: unknown) => (error as Error).message);
    // A machine without firmware tables says so.
    assert.doesNotMatch(text, /^(?!DMI data).*(failed|not authorized|unknown)/, uri);
    assert.notEqual(text, '', uri);
  }
});

test('every template', { skip }, async () => {
  const pid = await mainPid();
  const device = (await output(host, 'sh', '-c', 'ls /sys/class/block | grep -v loop | head -n 1')).trim();
  const documents = [
    `disks://${device}/stats`,
    'network://interfaces/lo',
    'service://whole/status',
    'devices://pci',
    `file://${DIRECTORY}/file/stat`,
  ];
  for (const uri of [
    ...documents,
    `process://${pid}/cmdline`,
    `process://${pid}/limits`,
    `process://${pid}/open_files`,
    'crontab://nobody/info',
  ]) {
    JSON.parse(await host.resource('ops', uri));
  }
  assert.match(await host.resource('ops', `process://${pid}/status`), /^Name:\tsleep\n/);
  assert.match(await host.resource('ops', `file://${DIRECTORY}/file`), /^more\n/);
  assert.equal(await host.resource('ops', `file://${DIRECTORY}/file/type`), 'text/plain; charset=utf-8');
  assert.equal(await host.resource('ops', 'crontab://nobody/text'), '');
});
