/** The grammar of calls, against a recorded list of tools. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { argumentsOf } from './argument.ts';
import { toArguments, type Sources } from './convert.ts';
import { fillTemplate, templateEntry, toolEntry, type ToolEntry } from './entry.ts';
import { parseArguments, parsePairs } from './parse.ts';
import type { Flags } from '../options.ts';

const lists = JSON.parse(readFileSync(new URL('../fixtures/lists.json', import.meta.url), 'utf8')) as { tools: unknown[] };
const tools = lists.tools.map(toolEntry).filter((entry) => entry !== undefined);

function tool(name: string): ToolEntry {
  const found = tools.find((entry) => entry.name === name);
  assert.ok(found, name);
  return found;
}

const sources: Sources = {
  file: (path) => {
    if (path !== 'there') throw new Error(`cannot read ${path}: ENOENT`);
    return 'from the file';
  },
  input: () => Promise.resolve('from the input'),
};

async function read(name: string, words: string, leading: Flags = new Map()): Promise<Record<string, unknown>> {
  const entry = tool(name);
  const parsed = parseArguments(name, entry.arguments, words === '' ? [] : words.split(' '), leading);
  return toArguments(parsed.given, sources);
}

test('words fill the required arguments, then the optional ones that are no switches', async () => {
  assert.deepEqual(await read('files/list', '/etc'), { path: '/etc' });
  assert.deepEqual(await read('files/list', '/etc size'), { path: '/etc', sort: 'size' });
  assert.deepEqual(await read('kernel/system-control', 'vm.swappiness 10'), { key: 'vm.swappiness', value: '10' });
  assert.deepEqual(await read('files/list', '--path /etc time'), { path: '/etc', sort: 'time' });
  assert.deepEqual(await read('files/read', '/f -5'), { path: '/f', start_line: -5 });
});

test('switches', async () => {
  assert.deepEqual(await read('files/list', '/etc --all --no-long'), { path: '/etc', all: true, long: false });
  assert.deepEqual(await read('files/list', '/etc --long=false --dirs-first --numeric_ids'), {
    path: '/etc',
    long: false,
    dirs_first: true,
    numeric_ids: true,
  });
  await assert.rejects(read('files/list', '/etc --long=maybe'), /long must be true or false, got "maybe"/);
});

test('values are converted by the type of the schema alone', async () => {
  assert.deepEqual(await read('files/read', '/f --start-line 2 --end-line=3'), { path: '/f', start_line: 2, end_line: 3 });
  assert.deepEqual(await read('files/create', '/f --if-sha256 0123456789 --content true'), {
    path: '/f',
    if_sha256: '0123456789',
    content: 'true',
  });
  assert.deepEqual(await read('network/ping', 'host --timeout 2.5 --port 80'), { host: 'host', timeout: 2.5, port: 80 });
  await assert.rejects(read('files/read', '/f --start-line two'), /start_line must be an integer, got "two"/);
  await assert.rejects(read('files/read', '/f --start-line 0x10'), /integer/);
  await assert.rejects(read('files/read', '/f --start-line 9007199254740993'), /integer below 2\^53/);
});

test('a schema that leaves the type open takes text where text is one of the types', async () => {
  const all = argumentsOf({
    properties: { value: { type: ['number', 'string'] }, other: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
  });
  const parsed = parseArguments('x', all, ['--value', '1', '--other', '1'], new Map());
  assert.deepEqual(await toArguments(parsed.given, sources), { value: '1', other: 1 });
});

test('lists: repeated flags, everything behind --, or the words that are left', async () => {
  const expected = { container: 'web', command: ['ls', '-l', '/'] };
  assert.deepEqual(await read('docker/exec', 'web -- ls -l /'), expected);
  assert.deepEqual(await read('docker/exec', 'web --command ls --command=-l --command /'), expected);
  assert.deepEqual(await read('docker/exec', 'web ls /'), { container: 'web', command: ['ls', '/'] });
  const { arguments: all } = tool('docker/exec');
  const json = parsePairs('docker/exec', all, ['container=web', 'command=["ls","-l","/"]'], new Map());
  assert.deepEqual(await toArguments(json.given, sources), expected);
});

test('options of stewardctl stand between pairs, with their values', () => {
  const { arguments: all } = tool('files/list');
  const parsed = parsePairs('files/list', all, ['path=/etc', '-o', 'name', '--timeout', '5'], new Map());
  assert.deepEqual(
    parsed.given.map(({ argument, texts }) => [argument.name, texts]),
    [['path', ['/etc']]],
  );
  assert.deepEqual(
    [...parsed.flags],
    [
      ['output', 'name'],
      ['timeout', '5'],
    ],
  );
  assert.throws(() => parsePairs('files/list', all, ['-o', 'name', '/etc'], new Map()), /are written key=value, got "\/etc"/);
});

test('words behind -- are plain words where there is no list to fill', async () => {
  assert.deepEqual(await read('kernel/system-control', 'kernel.x -- --value'), { key: 'kernel.x', value: '--value' });
});

test('objects: pairs or JSON', async () => {
  const { arguments: all } = tool('network/curl');
  const words = ['https://x', '--headers', 'A: b: c', '--headers', 'D=e', '--headers', '{"F": "g"}'];
  const parsed = parseArguments('curl', all, words, new Map());
  assert.deepEqual(await toArguments(parsed.given, sources), { url: 'https://x', headers: { A: 'b: c', D: 'e', F: 'g' } });
  await assert.rejects(read('network/curl', 'u --headers nothing'), /headers must be pairs like "name: value" or a JSON object/);
});

test('texts given by name may come from a file or the input; words are taken as they are', async () => {
  assert.deepEqual(await read('files/create', '/f --content @there'), { path: '/f', content: 'from the file' });
  assert.deepEqual(await read('files/create', '/f --content -'), { path: '/f', content: 'from the input' });
  assert.deepEqual(await read('files/create', '/f --content @@daily'), { path: '/f', content: '@daily' });
  assert.deepEqual(await read('files/create', '/f @there'), { path: '/f', content: '@there' });
  await assert.rejects(read('files/create', '/f --content @gone'), /content: cannot read gone: ENOENT \(write @@gone for/);
});

test('what belongs to nothing is an error that names the nearest word', async () => {
  await assert.rejects(read('files/list', '/etc --sotr size'), /unknown option --sotr \(did you mean --sort\?\)/);
  await assert.rejects(read('files/list', '/etc --privilegde'), /did you mean --privileged/);
  await assert.rejects(read('files/list', '/etc -x'), /unknown option -x/);
  await assert.rejects(read('files/read', '/f 1 2 3 4 5'), /has no argument left for "5"/);
  await assert.rejects(read('files/list', ''), /files\/list needs path/);
  await assert.rejects(read('files/list', '/etc --sort size --sort time'), /--sort is given twice/);
  await assert.rejects(read('files/list', '/etc --sort'), /--sort needs a value/);
  await assert.rejects(
    read('files/create', '/f --content --privileged'),
    /--content needs a value \(write --content=--privileged/,
  );
});

test('an option of stewardctl stands for an argument, and is an error where the tool has none', async () => {
  assert.deepEqual(await read('files/list', '/etc --human'), { path: '/etc', human_readable: true });
  assert.deepEqual(await read('files/list', '/etc', new Map([['human', true]])), { path: '/etc', human_readable: true });
  assert.deepEqual(await read('files/create', '/f', new Map([['dry-run', true]])), { path: '/f', dry_run: true });
  // Anything else would make the call although a dry run was asked for.
  await assert.rejects(read('network/curl', 'http://x --dry-run'), /takes no --dry-run/);
  await assert.rejects(read('files/read', '/f --human'), /takes no --human/);
});

test('behind the group a flag of the schema is the tool’s, not stewardctl’s', async () => {
  assert.deepEqual(await read('network/curl', 'https://x --insecure --timeout 3'), {
    url: 'https://x',
    insecure: true,
    timeout: 3,
  });
  const own = parseArguments('files/list', tool('files/list').arguments, ['/etc', '--timeout', '3', '-o', 'json'], new Map());
  assert.deepEqual(
    [...own.flags],
    [
      ['timeout', '3'],
      ['output', 'json'],
    ],
  );
  await assert.rejects(read('files/list', '/etc --insecure'), /--insecure must stand before the verb/);
});

test('templates: places are required words, slashes stay, everything else is encoded', () => {
  const file = templateEntry({ uriTemplate: 'file:///{path}', name: 'File', tools_group: 'files', cli_verb: 'cat' });
  assert.deepEqual(
    file?.arguments.map((argument) => [argument.name, argument.required]),
    [['path', true]],
  );
  assert.equal(fillTemplate('file:///{path}', { path: '/etc/a b%#?é' }), 'file:///etc/a%20b%25%23%3F%C3%A9');
  assert.equal(fillTemplate('process://{pid}/{target}', { pid: '1', target: 'status' }), 'process://1/status');
  assert.equal(fillTemplate('docker-image://{ref}/inspect', { ref: 'registry/x:1' }), 'docker-image://registry/x%3A1/inspect');
});

test('verb and group come from the entry, its _meta, or the name', () => {
  const place = (raw: object): unknown[] => [toolEntry(raw)?.verb, toolEntry(raw)?.group];
  assert.deepEqual(place({ name: 'a/b', tools_group: 'g', cli_verb: 'v' }), ['v', 'g']);
  assert.deepEqual(place({ name: 'a_b', _meta: { 'steward/tools_group': 'g', 'steward/cli_verb': 'v' } }), ['v', 'g']);
  assert.deepEqual(place({ name: 'a/b' }), ['b', 'a']);
  assert.equal(toolEntry({ description: 'no name' }), undefined);
});
