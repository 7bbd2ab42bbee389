/**
 * The page "stewardctl by example" as it is printed, on a booted Debian: real units, a real cron, the installed program for what is
 * done on the host. Only the port is another one; the interface eth0 is made where this machine has none.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeHome, type Home } from '../support/ctl.ts';
import { examplesOf, isEndless, judge, runLine, SECTIONS, yamlOf, type Ran } from '../support/examples.ts';
import { bootedHost } from '../support/host/suite.ts';
import { install, output } from '../support/inside/inside.ts';
import { eventually, ROOT } from '../support/pair.ts';
import { inBash, inFish, missing, typedIn } from '../support/shells.ts';
import { shownOnTerminal } from '../support/terminal.ts';

const NGINX = '[Unit]\nDescription=nginx\n[Service]\nExecStart=/bin/sleep 100000\n';
const host = bootedHost({
  grants: `  ops:
    tools:
      services/manage: {allowed: true, units: [nginx.service], actions: [restart]}
      daemon/reload-config: {allowed: true}
      logs/journal-control: {allowed: true}
`,
  users: ['ops'],
  accounts: ['ops', 'alice'],
  prepare: async (inside) => {
    await install(inside, '/etc/hosts', '127.0.0.1 localhost\n127.0.1.1 steward-host\n');
    await install(inside, '/etc/systemd/system/nginx.service', NGINX);
    await install(inside, '/usr/bin/stewardctl', readFileSync(join(ROOT, 'packaging/debian/stewardctl'), 'utf8'), '755');
    await output(inside, 'systemctl', 'daemon-reload');
  },
});
const { skip } = host;

let home: Home;
let madeInterface = false;
before(() => {
  if (skip !== false) return;
  home = makeHome();
  if (!existsSync('/sys/class/net/eth0')) {
    execFileSync('ip', ['link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth0-peer']);
    madeInterface = true;
  }
});
after(() => {
  if (madeInterface) execFileSync('ip', ['link', 'delete', 'eth0']);
  if (skip === false) home.remove();
});

const port = (): number => Number(new URL(host.reachable().url).port);

/** Runs a section as somebody who has logged in. */
async function fromHere(section: string, expected: Readonly<Record<string, RegExp>> = {}): Promise<void> {
  const { fingerprint256 } = new X509Certificate(host.reachable().ca);
  const env = { ...home.env, FINGERPRINT: fingerprint256 };
  for (const line of examplesOf(section, port())) judge(await runLine(line, home.directory, env), expected);
}

test('every section of the page has its test', { skip }, () => {
  const here = ['Calls', 'Arguments', 'Output', 'Help', 'Connecting', 'On the host'];
  const withEngine = ['Containers'];
  assert.deepEqual([...SECTIONS].sort(), [...here, ...withEngine].sort());
});

test('calls', { skip }, async () => {
  home.contexts({ host: { pair: host.reachable(), user: 'ops' } });
  const before = await output(host, 'systemctl', 'show', '--property=ActiveState', '--value', 'nginx.service');
  assert.equal(before, 'inactive');
  await fromHere('Calls', {
    'stewardctl list files': /^-rw-r--r-- +1 root root .* \.pwd\.lock$|^-rw------- .* \.pwd\.lock$/m,
    'stewardctl get files': /^127\.0\.1\.1 steward-host\n$/,
    'stewardctl sysctl': /^net\.ipv4\.ip_forward = [01]$/m,
    'stewardctl service': /^Job \d+ completed with status: done$/m,
    'stewardctl uname': /^Sysname: Linux$/m,
    'stewardctl interface': /"name": "eth0"/,
    'stewardctl tool': /\.pwd\.lock$/m,
    'stewardctl resource': /^Sysname: Linux$/m,
    'stewardctl ping network': /"success": true/,
    'stewardctl reload': /No changes\./,
  });
  assert.equal(await output(host, 'systemctl', 'is-active', 'nginx.service'), 'active');
});

test('arguments', { skip }, async () => {
  await fromHere('Arguments', {
    'stewardctl list files /etc --no-long': /^passwd$/m,
    'stewardctl list files /etc --long=false': /^passwd$/m,
    'stewardctl curl': /"status_code": \d+/,
  });
  assert.match(await output(host, 'cat', '/tmp/steward-note'), /\d\d:\d\d:\d\d/);
  assert.equal(await output(host, 'crontab', '-u', 'ops', '-l'), '@daily /usr/bin/true');
});

test('output', { skip }, async () => {
  await fromHere('Output', {
    'stewardctl list files /etc -o table': /^NAME +TYPE +MODE/,
    'stewardctl list files /etc -o wide': /^NAME .* TARGET$/m,
    'stewardctl list files /etc -o name': /^passwd$/m,
    'stewardctl load-average cpu -o json': /^\{\n {2}"1_min": /,
    'stewardctl load-average cpu -o yaml': /^1_min: /,
    'stewardctl usage memory': /GiB/,
    'stewardctl load-average cpu --watch': /^Load Average: /,
    "stewardctl create files /tmp/steward-note 'other text' --dry-run": /^Dry run: would (overwrite|replace)/,
  });
  assert.equal(await output(host, 'cat', '/tmp/steward-note'), 'other text');
});

test('help', { skip }, async () => {
  await fromHere('Help', {
    'stewardctl --help': /^Usage:/m,
    'stewardctl help users add': /^stewardctl users add NAME/,
    'stewardctl whoami': /^User: +ops$/m,
    'stewardctl explain files/chown': /^Usage: stewardctl chown files PATH OWNER/m,
    'stewardctl list files --help': /^Usage: stewardctl list files PATH/m,
  });
});

test('connecting, and several hosts at once', { skip }, async () => {
  const own = makeHome();
  const env = { ...own.env, FINGERPRINT: new X509Certificate(host.reachable().ca).fingerprint256 };
  try {
    writeFileSync(join(own.directory, 'token'), `${host.reachable().token('ops')}\n`, { mode: 0o600 });
    const ran: Ran[] = [];
    for (const line of examplesOf('Connecting', port())) {
      ran.push(await runLine(line, own.directory, env));
      if (line.includes('context use')) appendFileSync(join(own.directory, '.config/steward/config.yaml'), yamlOf('Connecting'));
    }
    for (const one of ran) {
      judge(one, {
        'stewardctl login': /^Logged in as ops: context web[12] in /,
        'stewardctl --context web1,web2': /^web1: Load Average: .*^web2: Load Average: /ms,
        'stewardctl --context web free': /^web1: .*^web2: /ms,
        'stewardctl --all-contexts': /^\{\n {2}"web1": .*^ {2}"web2": /ms,
        echo: /^\{"jsonrpc":"2\.0","id":1,"result":\{\}\}$/m,
      });
    }
    const left = readFileSync(join(own.directory, '.config/steward/config.yaml'), 'utf8');
    assert.doesNotMatch(left, /^ {2}web1:/m);
    assert.match(left, /^current: web2$/m);
  } finally {
    own.remove();
  }
});

test('units, interfaces, disks and accounts complete in bash and fish', { skip: skip || missing('fish') }, () => {
  home.contexts({ host: { pair: host.reachable(), user: 'ops' } });
  const disks = readdirSync('/sys/block').filter((name) => !/^(loop|ram|zram)/.test(name));
  const cases: [string[], string][] = [
    [['service', 'system', 'ngi'], 'nginx.service'],
    [['service-status', 'system', 'systemd-jour'], 'systemd-journald.service'],
    [['interface', 'network', 'l'], 'lo'],
    [['stats', 'disks', ''], disks[0] ?? ''],
    [['crontab', 'cron', 'op'], 'ops'],
  ];
  for (const [words, expected] of cases) {
    const line = ['stewardctl', ...words];
    assert.ok(inBash(home, line.join(' '), ...line).includes(expected), `bash: ${line.join(' ')}`);
    assert.ok(inFish(home, line.join(' ')).includes(expected), `fish: ${line.join(' ')}`);
  }
});

test('units complete in zsh', { skip: skip || missing('zsh') }, async () => {
  await typedIn('zsh', home, [
    ['stewardctl service system ngi', /nx\.service/],
    ['rest', /art/],
  ]);
});

test('a line of the journal cannot drive the terminal', { skip }, async () => {
  const { status } = await host.run(
    ['systemd-cat', '--identifier=evil-test'],
    'evil \u001b[31mred \u001b]0;owned\u0007 \u009b2J end\n',
  );
  assert.equal(status, 0);
  await eventually(async () => (await host.run(['journalctl', '--quiet', '-t', 'evil-test'])).stdout !== '');
  for (const form of [[], ['-o', 'json'], ['-o', 'yaml'], ['-o', 'wide']]) {
    const words = ['stewardctl', 'journal', 'logs', '--lines', '30', '--privileged', ...form];
    const { text, controls } = await shownOnTerminal(words, { env: { ...home.env, NO_COLOR: '1' }, columns: 400 });
    assert.match(text, /evil/, JSON.stringify(text));
    assert.deepEqual(controls, [], JSON.stringify(text));
  }
});

/** Runs a line inside as root; of an endless one what it shows in the first seconds. */
async function inside(line: string): Promise<Ran> {
  const program = isEndless(line) ? `timeout --signal=INT 5 ${line}` : line;
  const { status, stdout, stderr } = await host.run(['bash', '-c', `cd /root && export HOME=/root && ${program}`]);
  // 124: timeout(1) has interrupted it.
  return { line, status: isEndless(line) && status === 124 ? 0 : status, out: stdout, err: stderr };
}

test('on the host', { skip }, async () => {
  for (const line of examplesOf('On the host', port())) {
    const ran = await inside(line);
    // Compares with the list that dpkg keeps: the tests of the package run it where that is there.
    if (line === 'stewardctl verify') {
      assert.match(ran.err, /^stewardctl: verify: the package is not installed here/);
      continue;
    }
    judge(ran, {
      'stewardctl users add': /^[0-9a-f]{64}$/m,
      'stewardctl users token add': /^[0-9a-f]{64}$/m,
      'stewardctl grants explain': /^allow /,
      'stewardctl config check': /is good: /,
      'stewardctl reload': /^Told process \d+ to reload/,
      'stewardctl allowlist': /^[0-9a-f]{64}$/m,
      'stewardctl audit show --since': / services\/manage /,
      'stewardctl audit tail': /^20\d\d-/,
      'stewardctl audit verify': /^good: \d+ records/,
    });
    assert.doesNotMatch(ran.err, /not reloaded/, line);
  }
  assert.match(await output(host, 'cat', '/root/report.html'), /^<!DOCTYPE html>/i);
});
