/** One container started, stopped, removed: what is asked of the engine, and what its answers become. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StewardError } from '../../errors.ts';
import { CONTAINER_ID, inspected, runDocker } from '../../testing/docker.ts';
import { fail, fakeEngine } from '../../testing/fake-engine.ts';
import { CONTAINER_ACTIONS, dockerManage } from './manage.ts';

const INSPECT = 'GET /containers/{container}/json';
const about = { container: 'web', id: '0123456789ab' };

test('every action is one request for the id', async () => {
  const done = (response: { writeHead(status: number): { end(): void } }): void => response.writeHead(204).end();
  const routes = CONTAINER_ACTIONS.map((action) =>
    action === 'remove' ? 'DELETE /containers/{container}' : `POST /containers/{container}/${action}`,
  );
  await using fake = await fakeEngine({
    [INSPECT]: inspected('exited'),
    ...Object.fromEntries(routes.map((route) => [route, done])),
  });
  for (const action of CONTAINER_ACTIONS) {
    const { result, begun } = await runDocker(dockerManage, { container: CONTAINER_ID, action }, fake);
    assert.deepEqual(result, { ...about, action, state: 'exited', result: 'ok' });
    assert.equal(begun, 1);
  }
  const urls = fake.calls.filter(({ route }) => route !== INSPECT).map(({ url }) => url.replace(CONTAINER_ID, 'ID'));
  assert.deepEqual(urls, [
    '/v1.41/containers/ID/start',
    '/v1.41/containers/ID/stop?t=10',
    '/v1.41/containers/ID/restart?t=10',
    '/v1.41/containers/ID/kill',
    '/v1.41/containers/ID/pause',
    '/v1.41/containers/ID/unpause',
    '/v1.41/containers/ID?force=false&v=false',
  ]);
});

test('what is in that state already is unchanged', async () => {
  await using fake = await fakeEngine({
    [INSPECT]: inspected('running'),
    'POST /containers/{container}/start': (response) => response.writeHead(304).end(),
  });
  const { result } = await runDocker(dockerManage, { container: CONTAINER_ID, action: 'start' }, fake);
  assert.equal(result.result, 'unchanged');
});

test('a running container is not removed, and the refusal says what to do', async () => {
  await using fake = await fakeEngine({
    [INSPECT]: inspected('running'),
    'DELETE /containers/{container}': (response) => fail(response, 409, 'You cannot remove a running container'),
    'POST /containers/{container}/kill': (response) => fail(response, 409, 'is not running'),
  });
  const run = (action: 'remove' | 'kill') => runDocker(dockerManage, { container: CONTAINER_ID, action }, fake);
  const hint = 'stop or kill it first (this tool never removes a running container by force)';
  await assert.rejects(run('remove'), {
    message: `docker API returned 409: You cannot remove a running container - ${hint}`,
  });
  await assert.rejects(run('kill'), { message: 'docker API returned 409: is not running' });
});

test('a dry run asks for the state and nothing else', async () => {
  const states: [string] = ['running'];
  await using fake = await fakeEngine({ [INSPECT]: (response) => response.end(JSON.stringify(inspected(...states))) });
  const dry = (action: (typeof CONTAINER_ACTIONS)[number]) =>
    runDocker(dockerManage, { container: CONTAINER_ID, action, dry_run: true }, fake);
  const { result, begun } = await dry('stop');
  assert.deepEqual(result, { ...about, action: 'stop', state: 'running', result: 'ok', dry_run: true });
  assert.equal(begun, 0);
  assert.equal((await dry('start')).result.result, 'unchanged');
  await assert.rejects(dry('remove'), { key: 'container_running' });
  states[0] = 'exited';
  assert.equal((await dry('stop')).result.result, 'unchanged');
  assert.equal((await dry('remove')).result.result, 'ok');
  assert.deepEqual([...fake.routes()], [INSPECT]);
});

test('a change that has begun is finished although its caller is gone', async () => {
  const controller = new AbortController();
  await using fake = await fakeEngine({
    [INSPECT]: inspected('running'),
    'POST /containers/{container}/stop': (response) => {
      controller.abort(new StewardError('cancelled'));
      setTimeout(() => response.writeHead(204).end(), 50);
    },
  });
  const { result } = await runDocker(dockerManage, { container: CONTAINER_ID, action: 'stop' }, fake, controller.signal);
  assert.equal(result.result, 'ok');
  const late = runDocker(dockerManage, { container: CONTAINER_ID, action: 'stop' }, fake, controller.signal);
  await assert.rejects(late, { key: 'cancelled' });
  assert.equal(fake.calls.filter(({ route }) => route.endsWith('/stop')).length, 1);
});
