/** Engines that misbehave, as a whole pair meets them: answers without end, drop by drop, and a container renamed in between. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CONTAINER_ID, inspected } from '@steward/shared/testing/docker.ts';
import { fakeEngine, type EngineAnswer } from '@steward/shared/testing/fake-engine.ts';
import { EVERYTHING } from '../support/engine/fixture.ts';
import { eventually, startPair, type Pair } from '../support/pair.ts';

const LISTED = [{ Id: CONTAINER_ID, Names: ['/web'], State: 'running' }];

async function withPair(
  answers: Readonly<Record<string, EngineAnswer>>,
  use: (pair: Pair, engine: Awaited<ReturnType<typeof fakeEngine>>) => Promise<void>,
  daemon = '',
): Promise<void> {
  await using engine = await fakeEngine(answers);
  const pair = await startPair({ grants: EVERYTHING, broker: `  engine_socket: ${engine.socket}\n`, daemon });
  try {
    await use(pair, engine);
  } finally {
    await pair.stop();
  }
}

const drip: EngineAnswer = (response) => {
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
};

const residentKb = (pid: number): number => Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

// abuse 91: frontend
test('an answer of 2 GiB is refused at its limit, and memory stays flat', async () => {
  const endless: EngineAnswer = (response) => {
    response.writeHead(200, { 'Content-Length': String(2 ** 31) });
    const more = (): void => void (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20), () => setImmediate(more)));
    more();
  };
  await withPair({ 'GET /images/json': endless, 'GET /containers/json': LISTED }, async (pair, engine) => {
    const ops = await pair.connect('ops');
    await ops.call('docker/containers');
    const [broker = 0] = pair.pids('steward-broker');
    const before = residentKb(broker);
    const { text, code } = await ops.call('docker/images');
    assert.deepEqual([text, code], ["the container engine's answer is larger than 8 MiB", 'TOO_LARGE']);
    assert.ok(residentKb(broker) - before < 48 * 1024, `${residentKb(broker) - before} kB`);
    await engine.calls.at(-1)?.closed;
  });
});

// abuse 91: frontend
test('an answer drop by drop ends with the time limit, or with its client', async () => {
  await withPair(
    { 'GET /volumes': drip },
    async (pair, engine) => {
      const ops = await pair.connect('ops');
      const { text, code } = await ops.call('docker/volumes');
      assert.deepEqual([text, code], ['timed out after 1 seconds - the call was stopped', 'TIMEOUT']);
      await engine.calls[0]?.closed;
      const leaving = await pair.connect('ops');
      leaving.call('docker/volumes').catch(() => undefined);
      const asked = await eventually(() => engine.calls[1]);
      leaving.close();
      await asked.closed;
    },
    'limits: {timeout_seconds: 1}\n',
  );
});

test('what is no identifier is refused before the engine is asked', async () => {
  await withPair({ 'GET /containers/json': LISTED }, async (pair, engine) => {
    const ops = await pair.connect('ops');
    const long = 'a'.repeat(300);
    for (const container of ['../images/prune?x=', 'x?force=1', '%2e%2e', long, 'wеb', 'ｗeb', 'web\u200b', '-x', 'web\n']) {
      for (const [tool, more] of [
        ['manage', { action: 'remove' }],
        ['logs', {}],
        ['exec', { command: ['id'] }],
      ] as const) {
        const { code } = await ops.call(`docker/${tool}`, { container, ...more });
        assert.equal(code, 'BAD_ARGS', `${tool} ${container}`);
      }
      const uri = `docker-container://${encodeURIComponent(container)}/inspect`;
      assert.match((await ops.rpc('resources/read', { uri })).error?.message ?? '', /^invalid container identifier/);
    }
    assert.deepEqual(engine.calls, []);
    assert.equal((await ops.call('docker/logs', { container: 'other' })).code, 'NOT_FOUND');
    assert.deepEqual([...engine.routes()], ['GET /containers/json']);
  });
});

// abuse 90: frontend
test('a container that is renamed after it was judged is still the one that is acted on', async () => {
  const stopped: EngineAnswer = (response) => response.writeHead(204).end();
  const renamed = { ...inspected('running'), Name: '/renamed' };
  const answers = {
    'GET /containers/json': LISTED,
    'GET /containers/{container}/json': renamed,
    'POST /containers/{container}/stop': stopped,
  };
  await withPair(answers, async (pair, engine) => {
    const ops = await pair.connect('ops');
    const { text } = await ops.call('docker/manage', { container: 'web', action: 'stop' });
    assert.equal(text, 'Container renamed (0123456789ab): stop succeeded.');
    assert.equal(engine.calls.at(-1)?.url, `/v1.41/containers/${CONTAINER_ID}/stop?t=10`);
    const outcome = pair.records().findLast(({ kind }) => kind === 'outcome');
    assert.equal(outcome?.object, `container web (${CONTAINER_ID})`);
  });
});

test('a change that has begun is finished and recorded although its client is gone', async () => {
  let finish = (): void => undefined;
  const slow: EngineAnswer = (response) => {
    finish = () => void response.writeHead(204).end();
  };
  const answers = {
    'GET /containers/json': LISTED,
    'GET /containers/{container}/json': inspected('running'),
    'POST /containers/{container}/stop': slow,
  };
  await withPair(answers, async (pair, engine) => {
    const leaving = await pair.connect('ops');
    leaving.call('docker/manage', { container: 'web', action: 'stop' }).catch(() => undefined);
    await eventually(() => engine.calls.find(({ route }) => route.endsWith('/stop')));
    leaving.close();
    await new Promise((done) => setTimeout(done, 300));
    finish();
    const outcome = await eventually(() => pair.records().find(({ kind, op }) => kind === 'outcome' && op === 'docker/manage'));
    assert.deepEqual([outcome.code, outcome.detail], ['OK', 'result ok, state running']);
  });
});
