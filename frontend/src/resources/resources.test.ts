/** Proves which URI means what, the fixed contents, and when root is asked for a file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_GRANTS, type UserGrants } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import type { AnyOperation } from '@steward/shared/ops/operation.ts';
import { failsWith } from '@steward/shared/testing/context.ts';
import { collect, outcomeOf } from '../testing/outcome.ts';
import type { Outcome } from '../tools/tool.ts';
import { findResource, RESOURCES, TEMPLATES } from './index.ts';
import { matchTemplate } from './match.ts';
import type { ResourceContext } from './resource.ts';

type Answer = (op: AnyOperation, args: unknown) => Outcome<unknown, never>;

const ANSWERS: Readonly<Record<string, Outcome<unknown, never>>> = {
  'resource/uname': outcomeOf({ sysname: 'Linux', nodename: 'web1', release: '6.1.0', version: '#1 SMP', machine: 'x86_64' }),
  'resource/os-release': outcomeOf('ID=debian\n'),
  'resource/hostname': outcomeOf('web1'),
  'resource/file-content': outcomeOf({}, [], [Buffer.from('ab\n')]),
  'resource/file-stat': outcomeOf({
    name: 'a',
    size: 3,
    mode: '-rw-r--r--',
    modified_time: '2026-11-20 11:33:02',
    is_dir: false,
  }),
  'resource/file-type': outcomeOf({ mime: 'text/plain; charset=utf-8' }),
};

const answer: Answer = (op) => ANSWERS[op.name] ?? assert.fail(op.name);
const noAnswer: Answer = (op) => assert.fail(`${op.name} must not run here`);

/** Reads a URI; `asked` lists what ran where. */
async function read(uri: string, given: { local?: Answer; root?: Answer; grants?: UserGrants } = {}) {
  const found = findResource(uri);
  assert.ok(found !== undefined, uri);
  const asked: string[] = [];
  const runner = (where: string, made: Answer) =>
    ((op: AnyOperation, args: { path?: string }) => {
      asked.push(`${where} ${op.name} ${args.path ?? ''}`.trimEnd());
      return Promise.resolve().then(() => made(op, args));
    }) as ResourceContext['runLocal'];
  const context: ResourceContext = {
    uri,
    params: found.params,
    user: 'alice',
    grants: given.grants ?? NO_GRANTS,
    runLocal: runner('local', given.local ?? answer),
    runRoot: runner('root', given.root ?? noAnswer),
  };
  const { mimeType, text } = await found.resource.read(context);
  return { mimeType, text: await collect(text), asked };
}

test('the fixed resources', async () => {
  assert.deepEqual(
    RESOURCES.map(({ uri }) => uri),
    [
      ...['os://uname', 'os://release', 'system://hostname', 'system://timezone', 'system://locale'],
      ...['network://interfaces', 'network://routes', 'devices://usb', 'devices://pci', 'devices://dmi', 'kernel://modules'],
    ],
  );
  assert.deepEqual(
    TEMPLATES.map(({ uriTemplate }) => uriTemplate),
    [
      ...['file:///{path}', 'devices://{type}', 'network://interfaces/{name}', 'service://{name}/status'],
      ...['disks://{name}/stats', 'process://{pid}/{target}'],
      ...['status', 'inspect', 'stats', 'top'].map((view) => `docker-container://{name}/${view}`),
      ...['docker-image://{ref}/inspect', 'docker-volume://{name}/inspect', 'docker-network://{name}/inspect'],
      'crontab://{user}/info',
    ],
  );
  const uname = 'Sysname: Linux\nNodename: web1\nRelease: 6.1.0\nVersion: #1 SMP\nMachine: x86_64';
  assert.deepEqual(await read('os://uname'), { mimeType: 'text/plain', text: uname, asked: ['local resource/uname'] });
  assert.equal((await read('os://release')).text, 'ID=debian\n');
  assert.equal((await read('system://hostname')).text, 'web1');
});

test('URIs match exactly', () => {
  for (const uri of [
    'os://unamex',
    'os://uname/',
    'OS://uname',
    '',
    'file://host/etc',
    'file:/etc',
    'File:///etc',
    ' os://uname',
  ]) {
    assert.equal(findResource(uri), undefined, uri);
  }
});

test('placeholders are decoded once', () => {
  assert.deepEqual(matchTemplate('file:///{path}', 'file:///a%20b/%2525'), { path: 'a b/%25' });
  assert.deepEqual(matchTemplate('x://{name}/top', 'x://a/b/top'), { name: 'a/b' });
  assert.deepEqual(matchTemplate('x://{a}/{b}', 'x://1/2\n3'), { a: '1', b: '2\n3' });
  assert.equal(matchTemplate('x.y://{name}', 'xzy://a'), undefined);
});

test('wire 097: a malformed escape and a NUL are refused', () => {
  for (const uri of ['file:///a%', 'file:///a%zz', 'file:///a%00b', 'file:///%ff', 'file:///a\0']) {
    assert.throws(() => findResource(uri), URIError, uri);
  }
});

test('the views of a file', async () => {
  assert.deepEqual(await read('file:///t/a'), {
    mimeType: 'text/plain',
    text: 'ab\n',
    asked: ['local resource/file-content /t/a'],
  });
  assert.equal((await read('file:///t/a.json')).mimeType, 'application/json');
  const stat = await read('file:///t/a/stat');
  assert.deepEqual(stat.asked, ['local resource/file-stat /t/a']);
  assert.equal(stat.mimeType, 'application/json');
  assert.equal(stat.text, JSON.stringify(JSON.parse(stat.text), null, 2));
  const type = await read('file:///t/a.json/type');
  assert.deepEqual([type.mimeType, type.text], ['text/plain', 'text/plain; charset=utf-8']);
});

test('wire 097: files that are called like a view, escapes, and the root directory', async () => {
  const pathOf = async (uri: string) => (await read(uri)).asked[0];
  assert.equal(await pathOf('file:///t/stat/content'), 'local resource/file-content /t/stat');
  assert.equal(await pathOf('file:///t/content/content'), 'local resource/file-content /t/content');
  assert.equal(await pathOf('file:///t/a%2Fstat'), 'local resource/file-stat /t/a');
  assert.equal(await pathOf('file:///t/a%2525'), 'local resource/file-content /t/a%25');
  assert.equal(await pathOf('file:///stat'), 'local resource/file-stat /');
  assert.equal(await pathOf('file:///'), 'local resource/file-content /');
  assert.equal(await pathOf('file:///t/statx'), 'local resource/file-content /t/statx');
});

const denied: Answer = () => {
  throw new StewardError('open_file', { path: '/t/a', reason: 'permission denied', errno: 'EACCES' });
};
const GRANTED: UserGrants = { tools: {}, resources: { 'file://': ['/srv', '/t'] } };

test('root is asked only when the kernel refused and the grants cover the file', async () => {
  const seen = await read('file:///t/a', { local: denied, root: answer, grants: GRANTED });
  assert.deepEqual(seen.asked, ['local resource/file-content /t/a', 'root resource/file-content /t/a']);
  assert.equal(seen.text, 'ab\n');
  const everything: UserGrants = { tools: {}, resources: { 'file://': ['*'] } };
  assert.equal((await read('file:///x', { local: denied, root: answer, grants: everything })).text, 'ab\n');
});

test('wire 097: a file that is not covered: the reason and what is missing', async () => {
  for (const uri of ['file:///tt/a', 'file:///t/../etc/a', 'file:///t/%2e%2e/etc/a', 'file:///t%2F..%2Fetc/a']) {
    const message = `failed to open file: /t/a: permission denied (user alice is not authorized to read ${uri} as root: resources: in grants.yaml)`;
    await assert.rejects(read(uri, { local: denied, grants: GRANTED }), { message, code: 'NOT_GRANTED' });
  }
});

test('other failures are passed on without asking root', async () => {
  const local: Answer = () => {
    throw new StewardError('open_file', { path: '/t/a', reason: 'no such file or directory', errno: 'ENOENT' });
  };
  await assert.rejects(read('file:///t/a', { local, grants: GRANTED }), failsWith('open_file', { errno: 'ENOENT' }));
});

test('entries are complete', () => {
  for (const entry of [...RESOURCES, ...TEMPLATES]) {
    for (const word of [entry.name, entry.description, entry.mimeType, entry.group, entry.verb]) assert.notEqual(word, '');
  }
});
