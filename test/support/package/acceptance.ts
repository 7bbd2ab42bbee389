/**
 * The package on a bare Debian that is really booted: what an administrator does with it from the first day to the last. One list of
 * tests for every release that is supported. Test only.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Recipe } from '../debian/recipes.ts';
import { unableToBoot } from '../debian/cache.ts';
import { type Host, bootHost } from '../host/boot.ts';
import { install, output } from '../inside/inside.ts';
import { eventually } from '../pair.ts';
import { type SseClient, connectSse } from '../sse-client.ts';
import { buildPackage, packageDirectory } from './debs.ts';

const URL = 'https://127.0.0.1:9091';
/** Where the packages are inside. */
const PACKAGES = '/opt/packages';
const [OLD, NEW] = ['0.0.1', '0.0.2'];
/** A loaded machine starts the pair in seconds. */
const PATIENCE_MS = 60_000;
const STREAMS = 10;

/** Registers the tests for one release. */
export function acceptance(recipe: Recipe): void {
  const reason = unableToBoot(['systemd-nspawn', 'nsenter', 'unshare', 'dpkg-deb', 'strip']);
  const skip = reason ?? false;
  const directory = packageDirectory();
  let host: Host;
  let token = '';
  let ca = '';

  const apt = (...args: readonly string[]): Promise<string> =>
    output(host, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '--quiet=2', '--no-install-recommends', '--yes', ...args);
  const packageFile = (version: string): string => `${PACKAGES}/steward_${version}_${architecture()}.deb`;
  const connect = (): Promise<SseClient> => connectSse({ url: URL, ca, token });
  const serving = async (): Promise<SseClient> => {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        if (performance.now() > end) throw error;
        await sleep(100);
      }
    }
  };
  const text = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    const client = await serving();
    try {
      const answer = await client.call(name, args);
      assert.equal(answer.isError, false, answer.text);
      return answer.text;
    } finally {
      client.close();
    }
  };

  before(async () => {
    if (reason !== undefined) return;
    for (const version of [OLD, NEW]) buildPackage(directory, version);
    host = await bootHost({ recipe, binds: [`${directory}:${PACKAGES}`] });
  });
  after(() => host?.stop());

  test('apt install ends with the pair running, without users or grants, and says what to do next', { skip }, async (t) => {
    const began = performance.now();
    const said = await apt('install', packageFile(OLD));
    assert.match(
      said,
      /^steward: running on port 9091\. Nobody can connect yet; make the first user: stewardctl users add NAME$/m,
    );
    assert.equal(
      await output(host, 'systemctl', 'is-active', 'steward-frontend.service', 'steward-broker.socket'),
      'active\nactive',
    );
    const made = await output(host, 'stewardctl', 'users', 'add', 'admin');
    token = /\b[0-9a-f]{64}\b/.exec(made)?.[0] ?? '';
    assert.notEqual(token, '', made);
    await output(host, 'stewardctl', 'grants', 'add', 'admin', 'services/manage', 'units=cron.service', 'actions=restart');
    await output(host, 'stewardctl', 'grants', 'add', 'admin', 'files/create', 'paths=/srv');
    await output(host, 'systemctl', 'reload', 'steward-frontend.service');
    ca = await output(host, 'cat', '/etc/steward/tls/steward.crt');
    await host.run(['sh', '-c', 'until ls /run/steward/broker.sock; do sleep 0.1; done']);
    assert.match(await text('system/os-release'), new RegExp(recipe.suite));
    t.diagnostic(`apt install to the first answered call: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  });

  test('what needs systemd works under the shipped units', { skip }, async () => {
    assert.match(await text('services/list'), /steward-frontend\.service/);
    assert.match(await text('timers/list'), /steward-audit-rotate\.timer/);
    for (const state of ['is-enabled', 'is-active']) await output(host, 'systemctl', state, 'steward-audit-rotate.timer');
    await output(host, 'systemctl', 'start', 'steward-audit-rotate.service');
    assert.match(await text('system/packages', { name: 'steward' }), new RegExp(`steward +${OLD.replaceAll('.', '\\.')}`));
    const before = await output(host, 'systemctl', 'show', '--value', '--property=MainPID', 'cron.service');
    await text('services/manage', { service: 'cron.service', action: 'restart', privileged: true });
    assert.notEqual(await output(host, 'systemctl', 'show', '--value', '--property=MainPID', 'cron.service'), before);
  });

  test(
    'the frontend can write nothing of the package, listens on 9091 alone, and its account is nobody to log in',
    { skip },
    async () => {
      const writable =
        'dpkg -L steward | while read -r f; do setpriv --reuid=steward --regid=steward --clear-groups test -w "$f" && echo "$f"; done; true';
      assert.equal(await output(host, 'sh', '-c', writable), '');
      const account = await output(host, 'getent', 'passwd', 'steward');
      assert.match(account, /:\/:\/usr\/sbin\/nologin$/);
      const listening = await output(host, 'ss', '-Hltnp');
      const own = listening.split('\n').filter((line) => /steward|node/.test(line));
      assert.ok(own.length > 0);
      for (const line of own) assert.match(line, /:9091\s/);
    },
  );

  test('the units are sound, and the installation is what was shipped', { skip }, async (t) => {
    const verified = await host.run(['systemd-analyze', 'verify', 'steward-frontend.service', 'steward-broker.socket']);
    assert.equal(`${verified.stderr}${verified.stdout}`.replaceAll(/^.*(man:|Command 'man).*\n/gm, ''), '');
    const security = await output(host, 'systemd-analyze', 'security', '--no-pager', 'steward-frontend.service');
    const score = Number(/exposure level for steward-frontend\.service: ([\d.]+)/.exec(security)?.[1]);
    assert.ok(score <= 1.9, String(score));
    const { status, stdout, stderr } = await host.run(['stewardctl', 'verify']);
    assert.equal(status, 0, `${stdout}${stderr}`);
    t.diagnostic(stdout.trimEnd());
  });

  test('a reload takes new grants', { skip }, async () => {
    await output(host, 'stewardctl', 'grants', 'add', 'admin', 'files/read', 'paths=/etc/shadow');
    await output(host, 'systemctl', 'reload', 'steward-frontend.service');
    const end = performance.now() + PATIENCE_MS;
    let answer: string;
    do answer = await text('files/read', { path: '/etc/shadow', privileged: true }).catch((error: unknown) => String(error));
    while (!answer.includes('root:') && performance.now() < end);
    assert.match(answer, /^root:/m);
  });

  test('an upgrade under load ends streams in order, loses no change and repeats none', { skip }, async () => {
    const clients = await Promise.all(Array.from({ length: STREAMS }, serving));
    let upgraded = false;
    const done: string[] = [];
    const load = clients.map(async (client, lane) => {
      for (let n = 0; !upgraded && n < 500; n++) {
        const path = `/srv/upgrade-${lane}-${n}`;
        const answer = await Promise.race([
          client.call('files/create', { path, content: path, privileged: true }),
          client.ended.then(() => undefined),
        ]).catch(() => undefined);
        if (answer === undefined) return;
        if (!answer.isError) done.push(path);
      }
    });
    await apt('install', packageFile(NEW));
    upgraded = true;
    await Promise.all(load);
    await Promise.all(clients.map(({ ended }) => ended));
    assert.ok(done.length > 0);
    for (const path of done) assert.equal(await output(host, 'cat', path), path);
    // Each file that is there was made by one call: the tool refuses what exists, so a repeated one would have been refused.
    const log = await output(host, 'sh', '-c', 'cat /var/log/steward/audit/*.jsonl');
    const intents = new Map<string, number>();
    for (const line of log.split('\n')) {
      const record = JSON.parse(line) as { kind: string; op?: string; object?: string };
      if (record.kind !== 'intent' || record.op !== 'files/create' || record.object === undefined) continue;
      intents.set(record.object, (intents.get(record.object) ?? 0) + 1);
    }
    for (const [path, count] of intents) assert.equal(count, 1, path);
    assert.match(await text('system/packages', { name: 'steward' }), new RegExp(NEW.replaceAll('.', '\\.')));
    assert.equal((await host.run(['stewardctl', 'audit', 'verify'])).status, 0);
    for (const client of clients) client.close();
  });

  test('a broken configuration is a failed unit that names file, line and reason', { skip }, async () => {
    const good = await output(host, 'cat', '/etc/steward/daemon.yaml');
    await install(host, '/etc/steward/daemon.yaml', 'version: 1\nlimits:\n  burts: 5\n', '640');
    await host.run(['systemctl', 'restart', 'steward-frontend.service']);
    const status = async (): Promise<string> =>
      (await host.run(['systemctl', 'status', '--no-pager', '--full', 'steward-prepare.service'])).stdout;
    // the journal has the line a moment later
    await eventually(async () => /\/etc\/steward\/daemon\.yaml:3: unknown key "burts"/.test(await status()));
    assert.match(await status(), /Active: failed/);
    await install(host, '/etc/steward/daemon.yaml', `${good}\n`, '640');
    await output(host, 'systemctl', 'restart', 'steward-frontend.service');
    assert.match(await text('system/os-release'), /Debian/);
  });

  test(
    'removed it is gone and its data stays; purged the record alone stays, aside; installed again it runs with a record of its own',
    { skip },
    async () => {
      await apt('remove', 'steward');
      assert.notEqual((await host.run(['systemctl', 'is-active', 'steward-frontend.service'])).stdout.trim(), 'active');
      assert.match(await output(host, 'ls', '/etc/steward'), /users\.yaml/);
      assert.match(await output(host, 'cat', '/etc/steward/users.yaml'), /admin/);
      const said = await apt('purge', 'steward');
      const [, kept = ''] = /the audit log stays in (\/var\/log\/steward\/audit-until-\w+);/.exec(said) ?? [];
      assert.match(await output(host, 'ls', kept), /\.jsonl/, said);
      assert.equal((await host.run(['ls', '/etc/steward', '/var/lib/steward', '/var/log/steward/audit'])).stdout, '');
      assert.match(await apt('install', packageFile(NEW)), /^steward: running on port 9091/m);
      assert.equal(await output(host, 'systemctl', 'is-active', 'steward-frontend.service'), 'active');
      assert.equal((await host.run(['systemctl', 'is-system-running', '--wait'])).stdout.trim(), 'running');
      assert.match(await output(host, 'stewardctl', 'audit', 'verify', kept), /^good: .* the log is closed$/m);
      await host.run(['sh', '-c', 'until ls /var/log/steward/audit/seal.pub; do sleep 0.1; done']); // made beside the first records
      assert.match(await output(host, 'stewardctl', 'audit', 'verify'), /^good: /m);
    },
  );
}

function architecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}
