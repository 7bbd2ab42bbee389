/** Which object a caller means, and that nothing a caller writes can become part of a path. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failsWith } from '../testing/context.ts';
import { fakeEngine } from '../testing/fake-engine.ts';
import { resolveContainer, shortId } from './containers.ts';
import { resolveObject } from './objects.ts';
import { requestLine } from './routes.ts';

const never = new AbortController().signal;
const A = 'a1'.repeat(32);
const B = `a1${'b2'.repeat(31)}`;
const CONTAINERS = [
  { Id: A, Names: ['/other/alias', '/web'] },
  { Id: B, Names: ['/other'] },
  { Id: 'c3'.repeat(32), Names: [`/${A}`] },
];

test('a container by its own name, by full id, by a prefix that only one has', async () => {
  await using fake = await fakeEngine({ 'GET /containers/json': CONTAINERS });
  const engine = await fake.open();
  const find = (typed: string) => resolveContainer(engine, typed, never);
  assert.deepEqual(await find('web'), { id: A, name: 'web' });
  assert.deepEqual(await find(B), { id: B, name: 'other' });
  assert.deepEqual(await find('a1b2'), { id: B, name: 'other' });
  // A name goes before an id, also where it looks like the id of another.
  assert.deepEqual(await find(A), { id: 'c3'.repeat(32), name: A });
  await assert.rejects(find('a1'), { message: 'container identifier "a1" is ambiguous (2 matches)' });
  await assert.rejects(find('we'), { message: 'docker API returned 404: No such container: we' });
  // What another container calls it through a link is no name of it.
  await assert.rejects(find('alias'), failsWith('docker_not_found'));
  assert.equal(fake.calls[0]?.query['all'], 'true');
});

test('what can be neither name nor id is refused before the engine is asked', async () => {
  await using fake = await fakeEngine({ 'GET /containers/json': CONTAINERS });
  const engine = await fake.open();
  const bad = [
    '',
    '..',
    '../images/prune?x=',
    'x?force=1',
    '%2e%2e',
    'a'.repeat(256),
    'wеb',
    'we\u200bb',
    '-web',
    '.web',
    'a b',
    'a/b',
    'web\n',
  ];
  for (const typed of bad) await assert.rejects(resolveContainer(engine, typed, never), failsWith('container_invalid'), typed);
  assert.equal(fake.calls.length, 0);
});

test('images by tag, repository, digest and id; networks by name and id; volumes by their exact name', async () => {
  const id = `sha256:${'e'.repeat(64)}`;
  await using fake = await fakeEngine({
    'GET /images/json': [
      { Id: id, RepoTags: ['registry:5000/team/x:1', 'y:latest'], RepoDigests: ['y@sha256:dd'] },
      { Id: `sha256:${'f'.repeat(64)}`, RepoTags: ['<none>:<none>'], RepoDigests: ['<none>@<none>'] },
    ],
    'GET /networks': [
      { Id: 'd'.repeat(64), Name: 'net' },
      { Id: 'e'.repeat(64), Name: 'twice' },
      { Id: 'f'.repeat(64), Name: 'twice' },
    ],
    'GET /volumes': { Volumes: [{ Name: 'data' }, { Name: '..' }] },
  });
  const engine = await fake.open();
  for (const typed of ['registry:5000/team/x:1', 'y', 'y:latest', 'y@sha256:dd', id, 'e'.repeat(64), 'eee', 'sha256:ee']) {
    assert.equal((await resolveObject(engine, 'image', typed, never)).object, id, typed);
  }
  for (const typed of ['team/x', '<none>:<none>', 'y:1', '', 'g']) {
    await assert.rejects(resolveObject(engine, 'image', typed, never), failsWith('docker_not_found'), typed);
  }
  assert.equal((await resolveObject(engine, 'network', 'ddd', never)).name, 'net');
  await assert.rejects(resolveObject(engine, 'network', 'twice', never), failsWith('docker_ambiguous'));
  assert.deepEqual(await resolveObject(engine, 'volume', 'data', never), { object: 'data', name: 'data', aliases: ['data'] });
  await assert.rejects(resolveObject(engine, 'volume', 'dat', never), {
    message: 'docker API returned 404: No such volume: dat',
  });
  await assert.rejects(resolveObject(engine, 'volume', '..', never), failsWith('docker_not_found'));
});

// abuse 90: broker
test('a path is filled with nothing but what an engine lists', () => {
  const start = 'POST /containers/{container}/start';
  assert.deepEqual(requestLine(start, A), { method: 'POST', path: `/containers/${A}/start` });
  for (const object of [undefined, '', 'web', `${A}/../x`, A.toUpperCase(), `${A}\n`]) {
    assert.throws(() => requestLine(start, object), /not what the engine lists/);
  }
  const image = 'GET /images/{image}/json';
  assert.equal(requestLine(image, `sha256:${A}`).path, `/images/sha256:${A}/json`);
  for (const object of [A, 'nginx:1.27', 'sha256:..']) assert.throws(() => requestLine(image, object));
  const volume = 'DELETE /volumes/{volume}';
  for (const object of ['.', '..', 'a/b', 'a?b', 'a%2fb', '-a']) assert.throws(() => requestLine(volume, object));
  assert.equal(
    requestLine('GET /volumes', undefined, { filters: '{"a":["b&c"]}' }).path,
    '/volumes?filters=%7B%22a%22%3A%5B%22b%26c%22%5D%7D',
  );
});

test('short ids', () => {
  assert.equal(shortId(`sha256:${A}`), 'a1a1a1a1a1a1');
  assert.equal(shortId(A), 'a1a1a1a1a1a1');
});
