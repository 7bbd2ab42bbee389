/** Whole command lines against a stand-in for the daemon. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startDouble, text, TOKEN, type Double, type Reply } from './testing/double.ts';
import { eventually } from './testing/eventually.ts';
import { runAgainst, runLine } from './testing/terminal.ts';

const GRANTS = { Tools: { 'files/create': { Allowed: true, Paths: ['/srv/x'], Setid: false, Containers: [] } }, Resources: {} };
const LISTING = [
  { name: 'a', size: 2048, is_dir: false, groups: ['x', 'y'] },
  { name: 'evil\u001b]0;x\u0007', size: 5, is_dir: true, groups: [] },
];

function callTool({ name, arguments: given }: Record<string, unknown>): Reply {
  const args = given as Record<string, unknown>;
  if (name === 'files/list')
    return args['output_format'] === 'json' ? text(JSON.stringify(LISTING)) : text('total 1\nevil\u001b[31m');
  if (name === 'auth/sudo-rules') return text(JSON.stringify(GRANTS));
  if (name === 'files/create' && args['dry_run'] === true) return text('Dry run: would touch /f');
  if (name === 'kernel/system-control') return text('vm.swappiness = 60');
  if (name !== 'files/read') return text(`${String(name)} ${JSON.stringify(args)}`);
  const path = args['path'];
  if (path === '/exact') return text('no newline');
  const failure = (code: string): Reply =>
    text('first\nsecond', { isError: true, _meta: { 'steward/code': code, 'steward/request': 'req-7' } });
  return failure(path === '/ungranted' ? 'NOT_GRANTED' : path === '/restricted' ? 'RESTRICTED' : 'SYSTEM');
}

let double: Double;
before(async () => {
  const read = ({ uri }: Record<string, unknown>): Reply => ({
    result: { contents: [{ uri, mimeType: 'text/plain', text: `read ${String(uri)}` }] },
  });
  double = await startDouble({ answers: { 'tools/call': callTool, 'resources/read': read } });
});
after(() => double.close());

const run = (line: string, setting = {}): ReturnType<typeof runAgainst> => runAgainst(double, line.split(' '), setting);
/** Name and arguments of the last call, without what every request says about itself. */
const lastCall = (): unknown => {
  const { _meta, ...params } = double.asked.findLast((asked) => asked.method === 'tools/call')?.params ?? {};
  return params;
};

test('a verb and a group become a call', async () => {
  assert.deepEqual(await run('list files /etc --all'), { exit: 0, out: 'total 1\nevil\u001b[31m\n', err: '' });
  assert.deepEqual(lastCall(), { name: 'files/list', arguments: { path: '/etc', all: true } });
  await run('-p sysctl kernel vm.swappiness 10');
  assert.deepEqual(lastCall(), {
    name: 'kernel/system-control',
    arguments: { key: 'vm.swappiness', value: '10', privileged: true },
  });
});

test('a call is two requests; with a server that knows only the older transport a session begins with initialize', async () => {
  double.asked.length = 0;
  await run('list files /etc');
  assert.deepEqual(
    double.asked.map((asked) => asked.method),
    ['tools/list', 'tools/call'],
  );
  assert.equal(double.authorizations.at(-1), `Bearer ${TOKEN}`);
  const old = await startDouble({ old: true, answers: { 'tools/call': callTool } });
  assert.deepEqual(await runAgainst(old, ['list', 'files', '/etc']), { exit: 0, out: 'total 1\nevil\u001b[31m\n', err: '' });
  assert.deepEqual(
    old.asked.map((asked) => asked.method),
    ['initialize', 'notifications/initialized', 'tools/list', 'tools/call'],
  );
  await old.close();
});

test('resources and templates are read by verb and group too', async () => {
  assert.equal((await run('uname system')).out, 'read os://uname');
  assert.equal((await run('cat files /etc/hosts')).out, 'read file:///etc/hosts');
  assert.equal((await run('describe processes 1 status')).out, 'read process://1/status');
  assert.equal((await run('resource os://uname')).out, 'read os://uname');
});

test('a terminal gets no control characters; a pipe gets the bytes', async () => {
  assert.equal((await run('list files /etc', { terminal: true })).out, 'total 1\nevil\\x1b[31m\n');
  assert.equal((await run('get files /exact')).out, 'no newline');
  assert.equal((await run('get files /exact', { terminal: true })).out, 'no newline\n');
});

test('forms other than text ask for JSON and are drawn here', async () => {
  const { out } = await run('list files /etc -o table');
  assert.deepEqual(lastCall(), { name: 'files/list', arguments: { path: '/etc', output_format: 'json' } });
  assert.equal(out, 'NAME              SIZE  IS_DIR\na                 2048  false\nevil\\x1b]0;x\\x07     5  true\n');
  assert.match((await run('list files /etc -o wide --human')).out, /^NAME +SIZE +IS_DIR +GROUPS\na +2\.0 KiB +false +x,y\n/);
  assert.equal((await run('-o name list files /etc')).out, 'a\nevil\\x1b]0;x\\x07\n');
  assert.deepEqual(JSON.parse((await run('list files /etc -o json')).out), LISTING);
  assert.match((await run('list files /etc -o yaml')).out, /^- name: a\n {2}size: 2048\n/);
  assert.equal((await run('get files /exact -o json')).out, 'no newline', 'what is no JSON is printed as it is');
  await run('create files /f x -o json');
  assert.deepEqual(
    lastCall(),
    { name: 'files/create', arguments: { path: '/f', content: 'x' } },
    'it would refuse what it does not know',
  );
});

test('exit codes and error lines', async () => {
  assert.deepEqual(await run('get files /gone'), { exit: 1, out: '', err: 'stewardctl: first; second (request req-7)\n' });
  assert.equal((await run('get files /ungranted')).exit, 5);
  assert.equal((await run('get files /restricted')).exit, 5);
  assert.equal((await run('get files /x', { token: 'c'.repeat(64) })).exit, 4);
  assert.equal((await run('--server https://127.0.0.1:1 get files /x')).exit, 3);
  assert.equal((await run('get files /x', { env: { STEWARD_TOKEN: '' } })).exit, 4);
  assert.equal((await runLine(['list', 'files'], {})).exit, 2, 'no server at all');
});

test('unknown words name the nearest right one', async () => {
  const says = async (line: string, expected: RegExp): Promise<void> => {
    const { exit, err } = await run(line);
    assert.match(err, expected);
    assert.equal(exit, 2);
  };
  await says('lst files /etc', /group files has no verb "lst" \(did you mean list\?\)/);
  await says('list fils /etc', /unknown group "fils" \(did you mean files\?\)/);
  await says('files list /etc', /the verb comes first: stewardctl list files/);
  await says('list', /list what\? list files/);
  await says('tolos', /unknown command "tolos" \(did you mean tools/);
  await says('tool files/lst path=/etc', /unknown tool "files\/lst" \(did you mean files\/list/);
  await says('explain fils', /nothing is called "fils" \(did you mean files/);
  await says('grant list', /unknown command "grant" \(did you mean grants\?\)/);
});

test('where no word is near, the error says where to look', async () => {
  const says = async (line: string, expected: string): Promise<void> => {
    const { exit, err } = await run(line);
    assert.deepEqual([exit, err], [2, `stewardctl: ${expected}\n`], line);
  };
  await says('frobnicate', 'unknown command "frobnicate": stewardctl --help and stewardctl explain say what there is');
  await says('list sysctl', 'unknown group "sysctl": there is stewardctl sysctl kernel');
  await says('list files', 'list files needs path: stewardctl list files --help says what it takes');
  await says('list files / --frobnicate', 'unknown option --frobnicate: stewardctl list files --help says which there are');
  await says('tool files/list', 'tool files/list needs path: stewardctl tool files/list --help says what it takes');
  await says('context', 'context needs another word: stewardctl context list, use NAME or remove NAME');
  await says('users add', 'users add: NAME is missing: stewardctl users add --help says what it takes');
  await says('users list --frobnicate', 'unknown option --frobnicate: stewardctl users list --help says which there are');
});

test('host administration without a configuration says where to look for one', async () => {
  for (const line of [
    'users list --config-dir /nonexistent',
    'config check --config-dir /nonexistent',
    'cert show --config-dir /nonexistent',
  ]) {
    const { exit, err } = await runLine(line.split(' '));
    assert.equal(exit, 1);
    assert.match(err, /^stewardctl: there is no configuration in \/nonexistent: give --config-dir [^\n]+\n$/, line);
  }
});

test('a refusal says what can be done on the host', async () => {
  const says = async (path: string): Promise<string> => (await run(`get files ${path}`)).err;
  assert.equal(
    await says('/ungranted'),
    'stewardctl: first; second; on its host `stewardctl grants add` grants it (request req-7)\n',
  );
  const restricted = 'first; second; on its host `stewardctl grants explain` says which line decides';
  assert.equal(await says('/restricted'), `stewardctl: ${restricted} (request req-7)\n`);
  assert.equal(await says('/else'), 'stewardctl: first; second (request req-7)\n');
});

test('a command of stewardctl gives way to a verb of the group that follows', async () => {
  assert.match((await run('ping')).out, /answers in [\d.]+ ms/);
  assert.equal((await run('ping network host')).out, 'network/ping {"host":"host"}');
  assert.match((await run('reload daemon')).out, /daemon\/reload-config/);
});

test('tool takes key=value, with either spelling of the name', async () => {
  await run('tool files_list path=/etc all=true --privileged');
  assert.deepEqual(lastCall(), { name: 'files/list', arguments: { path: '/etc', all: true, privileged: true } });
  assert.equal((await run('tool files/list /etc')).exit, 2);
});

test('content from a file and from the input', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'stewardctl-'));
  writeFileSync(join(directory, 'note'), 'a\nb\n');
  await run('create files /f --content @note', { cwd: directory });
  assert.deepEqual(lastCall(), { name: 'files/create', arguments: { path: '/f', content: 'a\nb\n' } });
  await run('create files /f --content -', { input: 'piped' });
  assert.deepEqual(lastCall(), { name: 'files/create', arguments: { path: '/f', content: 'piped' } });
  rmSync(directory, { recursive: true });
});

test('a destructive call on a terminal shows the dry run and asks', async () => {
  const no = await run('create files /f', { terminal: true, input: 'n\n' });
  assert.equal(no.exit, 1);
  assert.match(no.err, /Dry run: would touch \/f\nDo it\? \[y\/N\] stewardctl: not done/);
  assert.deepEqual(lastCall(), { name: 'files/create', arguments: { path: '/f', dry_run: true } });
  assert.equal((await run('create files /f', { terminal: true, input: '' })).exit, 1, 'end of input is no');
  assert.equal((await run('create files /f', { terminal: true, input: 'y\n' })).exit, 0);
  assert.deepEqual(lastCall(), { name: 'files/create', arguments: { path: '/f' } });
  assert.equal((await run('create files /f --yes', { terminal: true })).err, '');
  const read = await run('sysctl kernel vm.swappiness', { terminal: true });
  assert.deepEqual([read.exit, read.err], [0, ''], 'a read of a tool that can also write is not asked about');
});

test('whoami, tools, resources and explain', async () => {
  assert.match((await run('whoami')).out, /steward 9\.8\.7, protocol 2026-07-28[^]*files\/create \(Paths \/srv\/x\)/);
  assert.match((await run('tools')).out, /^files\/list +list files +List directory$/m);
  assert.match((await run('resources')).out, /^file:\/\/\/\{path\} +cat files +File Reader$/m);
  const { out } = await run('explain files/create');
  assert.match(out, /^Usage: stewardctl create files PATH \[--content CONTENT\]/m);
  assert.match(out, /^Root grant: yes \(Paths \/srv\/x\)$/m);
  assert.match((await run('explain files/list')).out, /^sort +name\|size\|time +"name" /m);
  assert.equal((await run('list files --help')).out, (await run('explain files/list')).out);
});

test('--insecure warns each time', async () => {
  const { exit, err } = await run('--insecure list files /etc', { env: { STEWARD_CA: '' } });
  assert.equal(exit, 0);
  assert.match(err, /warning: the certificate is not checked/);
});

test('a call that takes too long is given up and the server told so, by either transport', async () => {
  for (const old of [false, true]) {
    const deaf = await startDouble({ old, answers: { 'tools/call': () => undefined } });
    const { exit, err } = await runAgainst(deaf, ['list', 'files', '/etc', '--timeout', '0.1']);
    assert.equal(exit, 3);
    assert.match(err, /no answer in 0\.1 seconds/);
    if (old) assert.equal(deaf.asked.at(-1)?.method, 'notifications/cancelled');
    else await eventually(() => deaf.abandoned() === 1);
    await deaf.close();
  }
});

test('help and version need no server', async () => {
  assert.match((await runLine(['--help'])).out, /^Usage:/m);
  assert.match((await runLine(['help'])).out, /--fingerprint SHA256/);
  assert.match((await runLine(['help', 'users', 'add'])).out, /^stewardctl users add NAME \[options\]\n/);
  assert.match((await runLine(['help', 'login'])).out, /^stewardctl login URL \[NAME\]\n/);
  assert.match((await runLine(['--version'])).out, /^stewardctl \d+\.\d+\.\d+\n$/);
  const nothing = await runLine([]);
  assert.deepEqual([nothing.exit, nothing.out], [2, '']);
});
