/**
 * Everything that the docker tools and resources can ask the engine for, written down once more: a route that is added, or that no
 * operation uses any longer, shows here.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveContainer } from '../../engine/containers.ts';
import { resolveObject } from '../../engine/objects.ts';
import { ENGINE_ROUTES } from '../../engine/routes.ts';
import { CONTAINER_ID, runDocker } from '../../testing/docker.ts';
import { smallEngine } from '../../testing/small-engine.ts';
import { CONTAINER_ACTIONS } from './manage.ts';
import { PRUNE_TARGETS } from './prune.ts';
import { DOCKER_OPERATIONS } from './index.ts';

const COMMITTED = [
  'DELETE /containers/{container}',
  'DELETE /volumes/{volume}',
  'GET /containers/json',
  'GET /containers/{container}/json',
  'GET /containers/{container}/logs',
  'GET /containers/{container}/stats',
  'GET /containers/{container}/top',
  'GET /exec/{exec}/json',
  'GET /images/json',
  'GET /images/{image}/json',
  'GET /networks',
  'GET /networks/{network}',
  'GET /system/df',
  'GET /volumes',
  'GET /volumes/{volume}',
  'POST /build/prune',
  'POST /containers/prune',
  'POST /containers/{container}/exec',
  'POST /containers/{container}/kill',
  'POST /containers/{container}/pause',
  'POST /containers/{container}/restart',
  'POST /containers/{container}/start',
  'POST /containers/{container}/stop',
  'POST /containers/{container}/unpause',
  'POST /exec/{exec}/start',
  'POST /images/prune',
  'POST /networks/prune',
  'POST /volumes/prune',
];

const HEX = 'd'.repeat(64);
const container = CONTAINER_ID;
const calls: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  'docker/containers': [{}, { all: true }],
  'docker/manage': CONTAINER_ACTIONS.map((action) => ({ container, action })),
  'docker/logs': [{ container }],
  'docker/exec': [{ container, command: ['x'] }],
  'docker/images': [{}],
  'docker/volumes': [{}],
  'docker/networks': [{}],
  'docker/prune': PRUNE_TARGETS.flatMap((target) => [{ target }, { target, dry_run: true }]),
  'resource/docker-container': ['status', 'inspect', 'stats', 'top'].map((view) => ({ container, view })),
  'resource/docker-image': [{ name: `sha256:${HEX}` }],
  'resource/docker-volume': [{ name: 'data' }],
  'resource/docker-network': [{ name: HEX }],
};

test('the routes that all operations use together are the committed ones', async () => {
  const found = new Set<string>();
  for (const version of ['1.41', '1.51']) {
    await using fake = await smallEngine(version);
    for (const op of DOCKER_OPERATIONS) {
      for (const args of calls[op.name] ?? assert.fail(op.name)) await runDocker<unknown, unknown, unknown>(op, args, fake);
    }
    const engine = await fake.open();
    const { signal } = new AbortController();
    await resolveContainer(engine, 'web', signal);
    for (const [kind, name] of [
      ['image', 'x:1'],
      ['volume', 'data'],
      ['network', 'net'],
    ] as const)
      await resolveObject(engine, kind, name, signal);
    for (const route of fake.routes()) found.add(route);
    for (const { url } of fake.calls) assert.ok(url.startsWith(`/v${version}/`), url);
  }
  assert.deepEqual([...found].sort(), COMMITTED);
  assert.deepEqual([...ENGINE_ROUTES].sort(), COMMITTED);
});
