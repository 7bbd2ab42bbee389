/** One command in a container: its argv and nothing else goes to the engine, and its output is capped while it comes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StewardError } from '../../errors.ts';
import { failsWith } from '../../testing/context.ts';
import { CONTAINER_ID, inspected, runDocker } from '../../testing/docker.ts';
import { fail, fakeEngine, frame, type EngineAnswer, type FakeEngine } from '../../testing/fake-engine.ts';
import { dockerExec } from './exec.ts';

const INSPECT = 'GET /containers/{container}/json';
const START = 'POST /exec/{exec}/start';
const EXEC = 'e'.repeat(64);

function engine(start: EngineAnswer, ended: EngineAnswer = { Running: false, ExitCode: 0 }): Promise<FakeEngine> {
  return fakeEngine({
    [INSPECT]: inspected('running'),
    'POST /containers/{container}/exec': { Id: EXEC },
    [START]: start,
    'GET /exec/{exec}/json': ended,
  });
}

type Asked = Omit<Parameters<typeof dockerExec.run>[0], 'container'>;

async function run(fake: FakeEngine, asked: Asked, signal?: AbortSignal) {
  const { result, records, begun } = await runDocker(dockerExec, { container: CONTAINER_ID, ...asked }, fake, signal);
  const of = (stream: string): string =>
    records
      .filter((one) => one.stream === stream)
      .map(({ text }) => text)
      .join('');
  return { result, begun, records, stdout: of('stdout'), stderr: of('stderr') };
}

test('argv, user and directory as given; never stdin, never a terminal', async () => {
  await using fake = await engine((response) => response.end(Buffer.concat([frame('stdout', 'out'), frame('stderr', 'err')])), {
    Running: false,
    ExitCode: 3,
  });
  const { result, stdout, stderr, begun } = await run(fake, {
    command: ['sh', '-c', 'x; y'],
    user: '1000:1000',
    working_dir: '/srv',
  });
  assert.deepEqual([stdout, stderr, begun], ['out', 'err', 1]);
  assert.deepEqual(result, { container: 'web', id: '0123456789ab', state: 'running', exit_code: 3, running: false });
  const sent = fake.calls.filter(({ body }) => body !== undefined).map(({ route, body }) => [route, body]);
  const process = { AttachStdin: false, AttachStdout: true, AttachStderr: true, Tty: false };
  assert.deepEqual(sent, [
    ['POST /containers/{container}/exec', { ...process, Cmd: ['sh', '-c', 'x; y'], User: '1000:1000', WorkingDir: '/srv' }],
    [START, { Detach: false, Tty: false }],
  ]);
});

test('progress counts what the command has written', async () => {
  await using fake = await engine((response) => response.end(frame('stdout', 'x'.repeat(1000))));
  const { progress } = await runDocker(dockerExec, { container: CONTAINER_ID, command: ['x'] }, fake);
  assert.ok((progress.at(-1) ?? 0) >= 1000, progress.join());
});

test('users and directories that are none are refused before the engine is asked', async () => {
  await using fake = await engine([]);
  for (const user of ['a b', '-x', 'root;id', '1000:', ':1000', 'a:b:c', `u\n`]) {
    await assert.rejects(run(fake, { command: ['id'], user }), failsWith('exec_user', { user }), user);
  }
  for (const path of ['tmp', './x', '']) {
    await assert.rejects(run(fake, { command: ['id'], working_dir: path }), {
      message: `working_dir must be absolute, got "${path}"`,
    });
  }
  assert.equal(fake.calls.length, 0);
});

test('output beyond 1 MiB is left out and said so; the exit code is still told', async () => {
  await using fake = await engine((response) => {
    for (let n = 0; n < 12; n += 1) response.write(frame(n % 2 === 0 ? 'stdout' : 'stderr', Buffer.alloc(100_000, 0x61)));
    response.end(frame('stdout', Buffer.alloc(100_000, 0x62)));
  });
  const { result, stdout, stderr } = await run(fake, { command: ['x'] });
  assert.equal(stdout.length + stderr.length, 1024 * 1024);
  assert.deepEqual([result.truncated, result.exit_code], [true, 0]);
});

test('a command that writes without end is not waited for', async () => {
  await using fake = await engine(
    (response) => {
      const more = (): void =>
        void (!response.destroyed && response.write(frame('stdout', Buffer.alloc(65_000, 0x79)), () => setTimeout(more, 1)));
      more();
    },
    { Running: true, ExitCode: null },
  );
  const began = performance.now();
  const { result } = await run(fake, { command: ['yes'] });
  assert.ok(performance.now() - began < 6000);
  assert.deepEqual([result.truncated, result.exit_code, result.running], [true, null, true]);
  await fake.calls.find(({ route }) => route === START)?.closed;
});

test('a command that writes byte by byte makes few records', async () => {
  await using fake = await engine((response) => {
    response.end(Buffer.concat(Array.from({ length: 60_000 }, (_, n) => frame(n % 2 === 0 ? 'stdout' : 'stderr', 'ä'))));
  });
  const { records, stdout, stderr } = await run(fake, { command: ['x'] });
  assert.equal(stdout + stderr, 'ä'.repeat(60_000));
  assert.ok(records.length <= 6, String(records.length));
});

test('at the limit the request is closed and the text says what may still run', async () => {
  await using fake = await engine((response) => response.write(frame('stdout', 'begun')));
  const controller = new AbortController();
  setTimeout(() => controller.abort(new StewardError('timeout', { seconds: 5 })), 100);
  await assert.rejects(run(fake, { command: ['sleep', '60'] }, controller.signal), {
    message: 'timed out after 5 seconds - the command may still be running in container web (0123456789ab)',
  });
  await fake.calls.find(({ route }) => route === START)?.closed;
});

test('a caller that is gone ends the request as cancelled', async () => {
  await using fake = await engine((response) => response.write(frame('stdout', 'begun')));
  const controller = new AbortController();
  setTimeout(() => controller.abort(new StewardError('cancelled')), 50);
  await assert.rejects(run(fake, { command: ['x'] }, controller.signal), failsWith('cancelled'));
});

test('a dry run starts nothing', async () => {
  await using fake = await engine([]);
  const { result, begun } = await run(fake, { command: ['x'], dry_run: true });
  assert.deepEqual([result.dry_run, result.exit_code, result.running, begun], [true, null, false, 0]);
  assert.deepEqual([...fake.routes()], [INSPECT]);
});

test('what the engine refuses is told in its words', async () => {
  await using fake = await fakeEngine({
    [INSPECT]: inspected('exited'),
    'POST /containers/{container}/exec': (response) => fail(response, 409, 'Container is not running'),
  });
  await assert.rejects(run(fake, { command: ['x'] }), { message: 'docker API returned 409: Container is not running' });
});
