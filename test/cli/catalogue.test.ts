/**
 * Everything that the server lists can be reached by verb and group; what is wrong with a line or a connection is said in one line
 * with the right exit code; two daemons at once.
 */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findHostCommand, isHostWord } from '../../cli/src/commands/host.ts';
import { OWN_COMMANDS } from '../../cli/src/commands/index.ts';
import { ROOT, startPair, type Pair } from '../support/pair.ts';
import { makeHome, type Home, type Ran } from '../support/ctl.ts';

let pair: Pair;
let second: Pair;
let home: Home;
before(async () => {
  [pair, second] = await Promise.all([startPair(), startPair({ users: ['ops'] })]);
  home = makeHome();
  home.contexts({ a: { pair, user: 'ops' }, b: { pair: second, user: 'ops' } });
});
after(async () => {
  await Promise.all([pair.stop(), second.stop()]);
  home.remove();
});

const ctl = (line: string, setting = {}): Promise<Ran> => home.run(line.split(' '), setting);

interface Listed {
  readonly name: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly tools_group: string;
  readonly cli_verb: string;
}

test('every tool, resource and template has a verb and a group of its own, and they lead to it', async () => {
  const client = await pair.connect('ops');
  const list = async (method: string, member: string): Promise<Listed[]> =>
    ((await client.rpc(method)).result as Record<string, Listed[]>)[member] ?? [];
  const entries = [
    ...(await list('tools/list', 'tools')),
    ...(await list('resources/list', 'resources')),
    ...(await list('resources/templates/list', 'resourceTemplates')),
  ];
  assert.ok(entries.length > 40, `${entries.length} entries`);
  // One process says for each pair of words what it leads to; `explain` finds an entry by exactly these words.
  const { out } = await ctl('explain');
  const rows = out.split('\n').map((line) => line.trim().split(/ {2,}/).slice(0, 3).join(' '));
  for (const { tools_group: group, cli_verb: verb, uri, uriTemplate, name } of entries)
    assert.ok(rows.includes(`${group} ${verb} ${uriTemplate ?? uri ?? name}`), `${verb} ${group}`);
  const words = entries.map((entry) => `${entry.cli_verb} ${entry.tools_group}`);
  assert.deepEqual(
    words.filter((word, at) => words.indexOf(word) !== at),
    [],
  );
});

test('every command line in the documents begins with a command or with a verb and a group that there are', async () => {
  const client = await pair.connect('ops');
  const { tools } = (await client.rpc('tools/list')).result as { tools: Listed[] };
  const { resources } = (await client.rpc('resources/list')).result as { resources: Listed[] };
  const calls = [...tools, ...resources].map((entry) => `${entry.cli_verb} ${entry.tools_group}`);
  const own = OWN_COMMANDS.map(({ name }) => name);
  const isKnown = async (words: readonly string[]): Promise<boolean> =>
    own.includes(words[0] ?? '') ||
    calls.includes(words.slice(0, 2).join(' ')) ||
    (await findHostCommand(words)) !== undefined ||
    (words.length === 1 && isHostWord(words[0] ?? ''));
  const files = [
    'README.md',
    'SECURITY.md',
    'packaging/ansible/README.md',
    ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
  ];
  let found = 0;
  for (const file of files.filter((name) => name.endsWith('.md'))) {
    for (const [, line = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(/`stewardctl ([a-z][^`]*)`/g)) {
      const words = line.split(/\s+/).filter((word) => !word.startsWith('-'));
      assert.ok(await isKnown(words), `${file}: stewardctl ${line}`);
      found += 1;
    }
  }
  assert.ok(found > 20, `${found} lines`);
});

test('what is wrong is said in one line that tells what to do, with its exit code', async () => {
  const flags = (url: string): string[] => ['--server', url, '--token-file', join(home.directory, '.config/steward/a.token')];
  const { fingerprint256 } = new X509Certificate(pair.ca);
  const cases: [string[], number, RegExp][] = [
    [['lst', 'files', '/etc'], 2, /did you mean list\?/],
    [['list', 'fils', '/etc'], 2, /did you mean files\?/],
    [['list', 'files', '/etc', '--al'], 2, /did you mean --all\?/],
    [['list', 'files'], 2, /needs path/],
    [['journal', 'logs', '--lines', 'many'], 2, /lines must be an integer/],
    [['list', 'files', '/etc', '--sort', 'colour'], 1, /sort/],
    [['get', 'files', '/etc/hostname', '-p'], 5, /Permission denied: .*\(request \w+\)/],
    [
      [...flags('https://127.0.0.1:1'), '--fingerprint', fingerprint256, 'get', 'cpu'],
      3,
      /connection refused - is the daemon running/,
    ],
    [[...flags(pair.url), '--fingerprint', '0'.repeat(64), 'get', 'cpu'], 3, /its certificate has another fingerprint/],
    [[...flags(pair.url).slice(0, 2), '--token-file', '/dev/null', 'get', 'cpu'], 4, /holds no token/],
    [['--context', 'c', 'get', 'cpu'], 2, /no context named "c"/],
  ];
  for (const [words, exit, expected] of cases) {
    const ran = await home.run(words);
    assert.equal(ran.exit, exit, `${words.join(' ')}: ${ran.err}`);
    assert.match(ran.err, /^stewardctl: [^\n]+\n$/, words.join(' '));
    assert.match(ran.err, expected);
    assert.equal(ran.out, '');
  }
  const wrong = await ctl('get cpu', { env: { STEWARD_SERVER: pair.url, STEWARD_TOKEN: 'f'.repeat(64) } });
  assert.equal(wrong.exit, 4);
  assert.match(wrong.err, /does not accept the token .*`stewardctl users token rotate NAME ID` makes another\n$/);
});

test('two daemons at once: labelled, and the worse exit code counts', async () => {
  const { exit, out } = await ctl('--context a,b sysctl kernel kernel.ostype');
  assert.deepEqual([exit, out], [0, 'a: kernel.ostype = Linux\nb: kernel.ostype = Linux\n']);
  const both = JSON.parse((await ctl('--all-contexts load-average cpu -o json')).out) as Record<string, object>;
  assert.deepEqual(Object.keys(both), ['a', 'b']);
  await second.stop();
  const half = await ctl('--context a,b sysctl kernel kernel.ostype');
  assert.deepEqual([half.exit, half.out], [3, 'a: kernel.ostype = Linux\n']);
  assert.match(half.err, /^b: stewardctl: cannot connect to [^\n]+\n$/);
});
