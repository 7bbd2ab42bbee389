/** Every text with which the tools of today can refuse or fail, as a client sees it, through the whole stack. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import type { SseClient } from '../support/sse-client.ts';

let directory: string;
let pair: Pair;
let ops: SseClient;
const at = (name: string): string => join(directory, name);

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'steward-texts-'));
  chmodSync(directory, 0o777);
  writeFileSync(at('five'), 'a\nb\nc\nd\ne\n');
  writeFileSync(at('binary'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
  writeFileSync(at('long'), `${'x'.repeat(70_000)}\n`);
  writeFileSync(at('huge'), 'first line\n');
  truncateSync(at('huge'), 65 * 1024 * 1024);
  writeFileSync(at('text'), 'a line of text\n'.repeat(1_200_000));
  linkSync(at('huge'), at('huge-link'));
  mkdirSync(at('dir'));
  symlinkSync(at('five'), at('link'));
  execFileSync('mkfifo', [at('fifo')]);
  for (const name of ['five', 'huge']) chmodSync(at(name), 0o666);
  const tools = ['list', 'read', 'find', 'create', 'update', 'chmod', 'chown'].map((name) => `files/${name}`);
  pair = await startPair({
    grants:
      `  ops:\n    tools:\n${tools.map((tool) => `      ${tool}: {allowed: true, paths: [${directory}]}\n`).join('')}` +
      '      kernel/system-control: {allowed: true, sysctl: {write_keys: [vm.overcommit_ratio]}}\n      daemon/reload-config: {allowed: true}\n',
  });
  ops = await pair.connect('ops');
});
after(async () => {
  await pair.stop();
  rmSync(directory, { recursive: true, force: true });
});

type Case = readonly [
  tool: string,
  args: Record<string, unknown> | (() => Record<string, unknown>),
  text: string | (() => string),
];

const CASES: readonly Case[] = [
  ['files/read', { path: '/x', _hidden: 1 }, 'unknown argument "_hidden": names starting with _ are reserved'],
  ['files/read', {}, 'path argument is required'],
  ['files/read', { path: '' }, 'path argument is required'],
  ['files/read', { path: null }, 'path argument is required'],
  ['files/read', { path: 7 }, 'path must be a string'],
  ['files/read', { path: '/x', limit: 'ten' }, 'limit must be an integer'],
  ['files/read', { path: '/x', limit: 1.5 }, 'limit must be an integer'],
  ['files/list', { path: '/x', all: 'true' }, 'all must be a boolean'],
  ['files/list', { path: '/x', sort: 'colour' }, 'invalid sort "colour" (name, size, time)'],
  ['cpu/load-average', { output_format: 'xml' }, 'invalid output_format "xml" (text, json, yaml, table, wide)'],
  ['files/create', { path: '/x', drry_run: true }, 'unknown argument "drry_run" (did you mean dry_run?)'],
  ['files/read', { path: 'etc/passwd' }, 'path must be absolute, got "etc/passwd"'],
  ['files/read', { path: '/a\u0000b' }, 'invalid path "/a\u0000b"'],
  ['files/list', { path: '/no/such' }, 'failed to read directory: /no/such: no such file or directory'],
  ['files/list', () => ({ path: at('five') }), () => `failed to read directory: ${at('five')}: not a directory`],
  ['files/read', { path: '/no/such' }, 'failed to open file: /no/such: no such file or directory'],
  ['files/read', () => ({ path: at('dir') }), () => `failed to open file: ${at('dir')}: is a directory`],
  ['files/read', () => ({ path: at('binary') }), 'cannot read binary file (detected type: image/png)'],
  ['files/read', () => ({ path: at('five'), start_line: 99 }), 'start_line 99 is past the end of the file (5 lines)'],
  ['files/read', () => ({ path: at('long'), start_line: 1 }), 'line 1 is longer than 65536 bytes'],
  ['files/read', () => ({ path: at('fifo') }), () => `not a regular file: ${at('fifo')}`],
  ['files/read', { path: '/dev/null' }, 'not a regular file: /dev/null'],
  ['files/read', { path: '/proc/self/environ' }, 'refusing to touch a protected object: /proc/self/environ'],
  [
    'files/create',
    () => ({ path: join(at('five'), 'x/y'), content: 'c' }),
    () => `failed to create parent directories: ${at('five')}: not a directory`,
  ],
  ['files/create', () => ({ path: at('dir'), content: 'c' }), () => `failed to write to file: ${at('dir')}: is a directory`],
  [
    'files/create',
    () => ({ path: at('link'), content: 'c' }),
    () => `refusing to follow a symbolic link: ${at('link')} -> ${at('five')}`,
  ],
  ['files/create', { path: '/x', content: 'c', if_sha256: 'abc' }, 'if_sha256 must be 64 hexadecimal digits'],
  [
    'files/update',
    () => ({ path: at('five'), content: 'x' }),
    "must specify either 'append' or both 'start_line' and 'end_line'",
  ],
  ['files/update', () => ({ path: at('five'), content: 'x', start_line: 3, end_line: 2 }), 'invalid line range: 3 to 2'],
  [
    'files/update',
    () => ({ path: at('five'), content: 'x', append: true, if_sha256: '0'.repeat(64) }),
    'the file changed since you read it',
  ],
  ['files/find', { path: '/no/such' }, 'failed to read directory: /no/such: no such file or directory'],
  ['files/find', { path: '/tmp', type: 'z' }, 'invalid type "z" (use f, d, l, b, c, p, s)'],
  ['files/find', { path: '/tmp', mtime: 'x' }, 'invalid mtime "x" (e.g. 7, +7, -1)'],
  ['files/find', { path: '/tmp', size: 'x' }, 'invalid size "x" (e.g. +100M, -10k)'],
  [
    'files/chmod',
    () => ({ path: at('five'), mode: '999' }),
    'invalid mode "999": expected octal (0755) or symbolic ([ugoa][+-=][rwxXst])',
  ],
  [
    'files/chmod',
    () => ({ path: at('link'), mode: '600' }),
    () => `refusing to follow a symbolic link: ${at('link')} -> ${at('five')}`,
  ],
  ['files/chown', () => ({ path: at('five'), owner: 'no-such-user', privileged: true }), 'no such user: "no-such-user"'],
  ['files/chown', () => ({ path: at('five'), owner: ':no-such', privileged: true }), 'no such user or group: "no-such"'],
  [
    'files/chown',
    () => ({ path: at('five'), owner: 'a:b:c', privileged: true }),
    'invalid owner "a:b:c": expected user, user:group, :group or user:',
  ],
  ['files/chown', () => ({ path: at('five'), owner: 'nobody' }), 'changing the owner needs privileged: true'],
  [
    'files/chown',
    { path: '/etc', owner: 'root', privileged: true },
    'user ops is not authorized to run files/chown on path /etc as root',
  ],
  [
    'files/update',
    () => ({ path: at('huge'), content: 'x', start_line: 1, end_line: 1, privileged: true }),
    () => `${at('huge')} is too large to be edited in place (over 64 MiB)`,
  ],
  ['kernel/system-control', {}, 'key argument is required unless read_all is true'],
  ['kernel/system-control', { key: 'vm.*' }, 'invalid key "vm.*": expected a sysctl name like net.ipv4.ip_forward'],
  ['kernel/system-control', { key: 'vm.no_such_key' }, 'cannot stat vm.no_such_key: no such file or directory'],
  [
    'kernel/system-control',
    { key: 'vm.overcommit_ratio', value: 'a\nb', privileged: true },
    'invalid value: must be a single line',
  ],
  [
    'kernel/system-control',
    { key: 'vm.swappiness', value: '1', privileged: true },
    'writing vm.swappiness is not permitted for this user (not in sysctl.write_keys in grants.yaml)',
  ],
];

for (const [tool, args, text] of CASES) {
  const named = typeof args === 'function' ? 'on a file of this test' : JSON.stringify(args);
  test(`${tool} ${named}: ${typeof text === 'string' ? text : 'its text'}`, async () => {
    const answer = await ops.call(tool, typeof args === 'function' ? args() : args);
    assert.equal(answer.isError, true, answer.text);
    const expected = typeof text === 'function' ? text() : text;
    if (expected.startsWith('the file changed')) {
      assert.match(answer.text, /^the file changed since you read it \(its sha256 is now [0-9a-f]{64}, you passed 0{64}\)$/);
    } else {
      assert.equal(answer.text, expected);
    }
    assert.match(String(answer.meta['steward/request']), /^[0-9a-f]{16}$/);
    assert.match(String(answer.code), /^[A-Z_]+$/);
  });
}

test('errors of the protocol: unknown tool, arguments that are no object, unknown resources', async () => {
  const unknown = await ops.rpc('tools/call', { name: 'docker/explode', arguments: {} });
  assert.equal(unknown.error?.code, -32602);
  assert.equal(unknown.error.message, 'unknown tool: docker/explode');
  for (const args of [[], 'text', 7]) {
    const answer = await ops.rpc('tools/call', { name: 'files/read', arguments: args });
    assert.deepEqual([answer.error?.code, answer.error?.message], [-32602, 'arguments must be an object']);
  }
  const resource = await ops.rpc('resources/read', { uri: 'os://unameX' });
  assert.deepEqual([resource.error?.code, resource.error?.message], [-32002, 'unknown resource: os://unameX']);
  const missing = await ops.rpc('resources/read', { uri: 'file:///no/such' });
  assert.deepEqual(
    [missing.error?.code, missing.error?.message],
    [-32603, 'failed to open file: /no/such: no such file or directory'],
  );
  const nul = await ops.rpc('resources/read', { uri: 'file:///a%00b' });
  assert.deepEqual([nul.error?.code, nul.error?.message], [-32602, 'Invalid params']);
  const large = await ops.rpc('resources/read', { uri: `file://${at('text')}` });
  assert.equal(large.error?.message, 'file is larger than 16 MiB - use files/read with offset and limit');
});

test(
  'a file that root may read and the frontend may not: hint for tools, reason for resources',
  { skip: !isRoot && 'needs root' },
  async () => {
    writeFileSync(at('closed'), 'x', { mode: 0o600 });
    const tool = await ops.call('files/read', { path: at('closed') });
    assert.equal(
      tool.text,
      `failed to open file: ${at('closed')}: permission denied (files/read is granted to you as root in grants.yaml: retry with privileged: true)`,
    );
    const uri = `file://${at('closed')}`;
    const resource = await ops.rpc('resources/read', { uri });
    assert.equal(
      resource.error?.message,
      `failed to open file: ${at('closed')}: permission denied (user ops is not authorized to read ${uri} as root: resources: in grants.yaml)`,
    );
  },
);

// abuse 107, 109: frontend
test('reload: without a grant, and of a broken file', async () => {
  const guest = await pair.connect('guest');
  assert.equal(
    (await guest.call('daemon/reload-config')).text,
    'user guest is not authorized to run daemon/reload-config (grant it in grants.yaml)',
  );
  pair.writeGrants('  ops:\n    tools:\n      files/read: {allowed: true, pathes: [/etc]}\n');
  const broken = await ops.call('daemon/reload-config');
  assert.equal(
    broken.text,
    `config not reloaded, the current one stays in effect: ${pair.configDir}/grants.yaml:5: unknown key "pathes" (known here: allowed, paths)`,
  );
  assert.equal((await ops.call('files/read', { path: at('five'), privileged: true })).isError, false);
});
