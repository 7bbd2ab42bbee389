/** Each prune asks for one kind and for no more than is unused; older engines are kept from taking volumes that have a name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDocker } from '../../testing/docker.ts';
import { fail, fakeEngine, type FakeEngine } from '../../testing/fake-engine.ts';
import { dockerPrune, type PruneTarget } from './prune.ts';

const ANONYMOUS = ['a'.repeat(64), 'b'.repeat(64), 'c'.repeat(64)];
const prune = async (fake: FakeEngine, target: PruneTarget, dry = false) =>
  (await runDocker(dockerPrune, { target, ...(dry ? { dry_run: true } : {}) }, fake)).result;

test('what the engine removed, kind by kind', async () => {
  const id = `sha256:${'1'.repeat(64)}`;
  await using fake = await fakeEngine(
    {
      'POST /containers/prune': { ContainersDeleted: ['2'.repeat(64)], SpaceReclaimed: 20 },
      'POST /images/prune': { ImagesDeleted: [{ Untagged: 'x@sha256:33' }, { Deleted: id }], SpaceReclaimed: 30 },
      'POST /volumes/prune': { VolumesDeleted: null, SpaceReclaimed: 0 },
      'POST /networks/prune': { NetworksDeleted: ['net'] },
      'POST /build/prune': { CachesDeleted: ['k1', 'k2'], SpaceReclaimed: 7 },
    },
    '1.43',
  );
  const about = (target: PruneTarget, deleted: string[], count: number) => ({ target, deleted, count });
  assert.deepEqual(await prune(fake, 'containers'), { ...about('containers', ['2'.repeat(64)], 1), space_reclaimed_bytes: 20 });
  assert.deepEqual(await prune(fake, 'images'), {
    ...about('images', ['untagged x@sha256:33', id], 1),
    space_reclaimed_bytes: 30,
  });
  assert.deepEqual(await prune(fake, 'volumes'), { ...about('volumes', [], 0), space_reclaimed_bytes: 0 });
  assert.deepEqual(await prune(fake, 'networks'), about('networks', ['net'], 1));
  assert.deepEqual(await prune(fake, 'build-cache'), { ...about('build-cache', ['k1', 'k2'], 2), space_reclaimed_bytes: 7 });
  assert.deepEqual(
    fake.calls.map(({ url }) => decodeURIComponent(url)),
    [
      '/v1.43/containers/prune',
      '/v1.43/images/prune?filters={"dangling":["true"]}',
      '/v1.43/volumes/prune',
      '/v1.43/networks/prune',
      '/v1.43/build/prune',
    ],
  );
});

test('below 1.42 volumes are removed one by one, and only those without a name of their own', async () => {
  await using fake = await fakeEngine({
    'GET /volumes': { Volumes: [...ANONYMOUS, 'data', `${'a'.repeat(63)}g`].map((Name) => ({ Name })) },
    'DELETE /volumes/{volume}': (response, { url }) =>
      url.includes('bbb') ? fail(response, 409, 'in use') : void response.writeHead(204).end(),
  });
  const [a = '', , c = ''] = ANONYMOUS;
  assert.deepEqual(await prune(fake, 'volumes'), { target: 'volumes', deleted: [a, c], count: 2 });
  assert.equal(fake.calls[0]?.query['filters'], '{"dangling":["true"]}');
  assert.deepEqual(
    fake.calls.slice(1).map(({ url }) => url),
    ANONYMOUS.map((name) => `/v1.41/volumes/${name}`),
  );
});

test('dry runs look and change nothing', async () => {
  const network = (Name: string, digit: string) => ({ Name, Id: digit.repeat(64) });
  await using fake = await fakeEngine({
    'GET /containers/json': [
      { Id: '9'.repeat(64), State: 'exited', ImageID: 'sha256:used' },
      { Id: '8'.repeat(64), State: 'paused' },
    ],
    'GET /images/json': [{ Id: 'sha256:used' }, { Id: 'sha256:free' }],
    'GET /volumes': { Volumes: [{ Name: ANONYMOUS[0] }, { Name: 'data' }] },
    'GET /networks': [network('bridge', '1'), network('none', '2'), network('busy', '3'), network('idle', '4')],
    'GET /networks/{network}': (response, { url }) =>
      void response.end(JSON.stringify({ Containers: url.includes('333') ? { x: { Name: 'web' } } : {} })),
    'GET /system/df': {
      BuildCache: [
        { ID: 'free', InUse: false, Shared: false, Type: 'regular' },
        { ID: 'used', InUse: true, Shared: false, Type: 'regular' },
        { ID: 'shared', InUse: false, Shared: true, Type: 'regular' },
        { ID: 'inner', InUse: false, Shared: false, Type: 'internal' },
      ],
    },
  });
  const dry = async (target: PruneTarget): Promise<readonly string[]> => {
    const result = await prune(fake, target, true);
    assert.deepEqual([result.dry_run, result.count, result.space_reclaimed_bytes], [true, result.deleted.length, undefined]);
    return result.deleted;
  };
  assert.deepEqual(await dry('containers'), ['9'.repeat(64)]);
  assert.deepEqual(await dry('images'), ['sha256:free']);
  assert.deepEqual(await dry('volumes'), [ANONYMOUS[0]]);
  assert.deepEqual(await dry('networks'), ['idle']);
  assert.deepEqual(await dry('build-cache'), ['free']);
  assert.ok([...fake.routes()].every((route) => route.startsWith('GET ')));
});

test('from 1.42 on a volume is anonymous by its label', async () => {
  const Labels = { 'com.docker.volume.anonymous': '' };
  const [first, second] = ANONYMOUS;
  await using fake = await fakeEngine(
    {
      'GET /volumes': {
        Volumes: [
          { Name: first, Labels },
          { Name: second, Labels: null },
        ],
      },
    },
    '1.42',
  );
  assert.deepEqual((await prune(fake, 'volumes', true)).deleted, [first]);
});
