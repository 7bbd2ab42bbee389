/** grants explain: the deciding line, the resolved object, and the daemon's own texts. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { directoryFor, run, type Answer } from '../testing/host.ts';

interface Scene {
  /** The configuration directory. */
  readonly dir: string;
  /** A tree that alice may read as root: a directory `a`, and a link to it. */
  readonly tree: string;
  explain(...line: string[]): Promise<Answer>;
}

async function scene(context: TestContext): Promise<Scene> {
  const dir = directoryFor(context);
  const tree = mkdtempSync(join(tmpdir(), 'steward-explain-'));
  context.after(() => rmSync(tree, { recursive: true }));
  mkdirSync(join(tree, 'a'));
  symlinkSync('a', join(tree, 'link'));
  await run(dir, 'grants', 'add', 'alice', 'files/read', `paths=${tree}`);
  await run(dir, 'grants', 'add', 'alice', 'files/list', 'paths=/');
  await run(dir, 'grants', 'add', 'alice', 'kernel/system-control', 'sysctl.write_keys=vm.*');
  return { dir, tree, explain: (...line) => run(dir, 'grants', 'explain', 'alice', ...line) };
}

test('what is allowed names the line, the prefix and the object', async (context) => {
  const { dir, tree, explain } = await scene(context);
  const place = `${dir}/grants.yaml`;
  const allowed = (path: string): string =>
    `allow   user alice may run files/read as root\nrule    ${place}:7: paths: ${tree}\nobject  ${path}\n`;
  assert.deepEqual(await explain('files/read', `path=${tree}/./link/../a`), { exit: 0, out: allowed(`${tree}/a`), err: '' });
  assert.equal((await explain('files/read', `${tree}/a/`)).out, allowed(`${tree}/a`));
  assert.equal((await explain('files/read', `${tree}/b/c`)).out, allowed(`${tree}/b/c (no such file or directory)`));
  assert.match((await explain('files/read')).out, /rule .*:7: paths: \[\/var\/log, /);
  const written = await explain('kernel/system-control', 'key=vm/swappiness', 'value=1');
  assert.match(written.out, /: sysctl\.write_keys: vm\.\*\nobject {2}vm\.swappiness\n$/);
  assert.equal((await explain('kernel/system-control', 'key=kernel.core_pattern')).exit, 0);
  assert.match((await explain('services/manage', 'nginx.service')).out, /: limited to units \[nginx\.service\]\n$/);
});

test('what is refused says so in the words of the daemon', async (context) => {
  const { dir, tree, explain } = await scene(context);
  const cases: [line: string[], text: string, rule: string][] = [
    [['files/read', `path=${tree}x`], `user alice is not authorized to run files/read on path ${tree}x as root`, ':7: paths ['],
    [
      ['files/read', `path=${tree}/../etc/passwd`],
      `user alice is not authorized to run files/read on path ${tree}/../etc/passwd as root`,
      ':7: paths [',
    ],
    [['files/read', `path=${tree}/link`], `refusing to follow a symbolic link: ${tree}/link -> a`, ':7: paths ['],
    [['files/read', 'path=relative'], 'path must be absolute, got "relative"', ':7: paths ['],
    [['files/list', `path=${dir}`], `refusing to touch a protected object: ${dir}`, ': paths [/]'],
    [
      ['files/chown', 'path=/x'],
      'Permission denied: user alice is not authorized to use privileged: true for files/chown',
      ': no grant',
    ],
    [['daemon/reload-config'], 'user alice is not authorized to run daemon/reload-config', ': no grant'],
    [
      ['kernel/system-control', 'key=kernel.core_pattern', 'value=x'],
      'writing kernel.core_pattern is not permitted for this user',
      ': sysctl.write_keys [vm.*]',
    ],
  ];
  for (const [line, text, rule] of cases) {
    const { exit, out } = await explain(...line);
    assert.equal(exit, 5, line.join(' '));
    assert.ok(out.startsWith(`refuse  ${text}`), out);
    assert.ok(out.includes(`rule    ${dir}/grants.yaml`) && out.includes(rule), out);
  }
  await assert.rejects(run(dir, 'grants', 'explain', 'bob', 'files/read'), {
    message: 'no such user: "bob": stewardctl users list shows them',
  });
});

test('the live feed of the audit log, which is no tool', async (context) => {
  const { dir, explain } = await scene(context);
  const refused = await explain('audit/watch');
  assert.deepEqual([refused.exit, refused.err], [5, '']);
  assert.match(
    refused.out,
    /^refuse {2}user alice is not authorized to watch the audit log \(grant audit\/watch in grants\.yaml\)\n/,
  );
  assert.match(refused.out, /\nrule {4}.*grants\.yaml: no grant\n$/);
  assert.equal((await run(dir, 'grants', 'add', 'alice', 'audit/watch')).exit, 0);
  const allowed = await explain('audit/watch');
  assert.equal(allowed.exit, 0);
  assert.match(allowed.out, /^allow {3}user alice may run audit\/watch as root\nrule {4}.*grants\.yaml:\d+: allowed: true\n$/);
});
