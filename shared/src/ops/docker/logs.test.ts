/** The last lines of what a container wrote: counted as they are answered, capped while they arrive. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failsWith } from '../../testing/context.ts';
import { CONTAINER_ID, inspected, runDocker } from '../../testing/docker.ts';
import { fakeEngine, frame, type EngineAnswer, type FakeEngine } from '../../testing/fake-engine.ts';
import { dockerLogs } from './logs.ts';

const LOGS = 'GET /containers/{container}/logs';
const INSPECT = 'GET /containers/{container}/json';

/** Keeps log entries as an engine does: `tail` counts entries of both streams. */
function logOf(entries: readonly Buffer[]): EngineAnswer {
  return (response, { query }) => {
    const tail = query['tail'] === 'all' ? entries.length : Number(query['tail']);
    for (const entry of entries.slice(Math.max(0, entries.length - tail))) response.write(entry);
    response.end();
  };
}

type Asked = Omit<Parameters<typeof dockerLogs.run>[0], 'container'>;

const read = (fake: FakeEngine, asked: Asked = {}) => runDocker(dockerLogs, { container: CONTAINER_ID, ...asked }, fake);

test('both streams interleaved; one request', async () => {
  await using fake = await fakeEngine({
    [INSPECT]: inspected('running'),
    [LOGS]: logOf([frame('stdout', 'a\n'), frame('stderr', 'b\n'), frame('stdout', 'c\n')]),
  });
  const { result, bytes } = await read(fake, { lines: 2 });
  assert.equal(bytes.toString(), 'b\nc\n');
  assert.deepEqual(result, { container: 'web', id: '0123456789ab', lines: 2 });
  assert.equal((await read(fake)).bytes.toString(), 'a\nb\nc\n');
  const queries = fake.calls.filter(({ route }) => route === LOGS).map(({ query }) => query);
  assert.equal(queries.length, 2);
  assert.deepEqual(queries[0], { follow: 'false', stdout: 'true', stderr: 'true', timestamps: 'false', tail: '3' });
});

test('progress counts what the engine sends, over all looks', async () => {
  const entries = [frame('stdout', 'one\n'), ...Array.from({ length: 50 }, () => frame('stderr', 'noise\n'))];
  await using fake = await fakeEngine({ [INSPECT]: inspected('running'), [LOGS]: logOf(entries) });
  const { progress } = await read(fake, { lines: 1, stderr: false });
  assert.ok(fake.calls.filter(({ route }) => route === LOGS).length > 1);
  const whole = entries.reduce((sum, entry) => sum + entry.length, 0);
  assert.ok((progress.at(-1) ?? 0) > whole, progress.join());
  assert.deepEqual(
    progress,
    [...new Set(progress)].sort((one, other) => one - other),
  );
});

test('lines are counted after a stream was left out', async () => {
  const entries = [
    ...Array.from({ length: 20 }, (_, n) => frame('stdout', `out ${n}\n`)),
    ...Array.from({ length: 500 }, () => frame('stderr', 'noise\n')),
  ];
  await using fake = await fakeEngine({ [INSPECT]: inspected('running'), [LOGS]: logOf(entries) });
  const { result, bytes } = await read(fake, { lines: 3, stderr: false });
  assert.equal(bytes.toString(), 'out 17\nout 18\nout 19\n');
  assert.equal(result.lines, 3);
  assert.equal((await read(fake, { lines: 100, stderr: false })).result.lines, 20);
});

test('a long line that was written in parts is one line', async () => {
  const long = [frame('stdout', 'x'.repeat(16_384)), frame('stdout', 'x'.repeat(16_384)), frame('stdout', 'end\n')];
  await using fake = await fakeEngine({
    [INSPECT]: inspected('running'),
    [LOGS]: logOf([frame('stdout', 'first\n'), ...long, ...long]),
  });
  const { bytes, result } = await read(fake, { lines: 2 });
  assert.equal(bytes.length, 2 * (2 * 16_384 + 4));
  assert.equal(result.lines, 2);
});

test('the answer is cut at its end at 1 MiB, without splitting a character', async () => {
  const line = frame('stdout', `${'ä'.repeat(4095)}\n`);
  await using fake = await fakeEngine({
    [INSPECT]: inspected('running'),
    [LOGS]: logOf(Array.from({ length: 300 }, () => line)),
  });
  const { bytes, result } = await read(fake, { lines: 300 });
  assert.ok(bytes.length <= 1024 * 1024 && bytes.length >= 1024 * 1024 - 1);
  assert.doesNotMatch(bytes.toString(), /\ufffd/);
  assert.equal(result.truncated, true);
  assert.equal(result.lines, Math.ceil(bytes.length / 8191));
});

test('with a terminal there are no frames', async () => {
  const answer: EngineAnswer = (response) => response.end('one\r\ntwo\r\n');
  await using fake = await fakeEngine({ [INSPECT]: inspected('running', { Config: { Tty: true } }), [LOGS]: answer });
  assert.equal((await read(fake)).bytes.toString(), 'one\r\ntwo\r\n');
});

test('no stream, no request; nothing written, nothing answered', async () => {
  await using fake = await fakeEngine({ [INSPECT]: inspected('exited'), [LOGS]: logOf([]) });
  const none = await read(fake, { stdout: false, stderr: false });
  assert.deepEqual([none.bytes.length, none.result.lines], [0, 0]);
  assert.equal(fake.routes().has(LOGS), false);
  assert.equal((await read(fake)).result.lines, 0);
});

test('times of callers go to the engine as seconds; what is no time is refused before it is asked', async () => {
  await using fake = await fakeEngine({ [INSPECT]: inspected('running'), [LOGS]: logOf([]) });
  await read(fake, { since: '2026-11-20T15:15:45Z', until: '1795187746', timestamps: true });
  const { since, until, timestamps } = fake.calls.at(-1)?.query ?? {};
  assert.deepEqual([since, until, timestamps], ['1795187745', '1795187746', 'true']);
  const before = fake.calls.length;
  await assert.rejects(read(fake, { since: 'yesterday' }), failsWith('docker_time', { value: 'yesterday' }));
  assert.equal(fake.calls.length, before);
});

test('a long line is never begun in its middle', async () => {
  const parts = [frame('stdout', 'y'.repeat(16_384)), frame('stdout', `${'y'.repeat(100)}\n`)];
  await using fake = await fakeEngine({
    [INSPECT]: inspected('running'),
    [LOGS]: logOf([frame('stdout', 'first\n'), ...parts, frame('stdout', 'last\n')]),
  });
  const { bytes, result } = await read(fake, { lines: 2 });
  assert.equal(bytes.toString(), `${'y'.repeat(16_484)}\nlast\n`);
  assert.equal(result.lines, 2);
});

test('much before the wanted lines is read twice, and never held', async () => {
  const noise = Array.from({ length: 60 }, () => frame('stdout', `${'n'.repeat(65_000)}\n`));
  const wanted = Array.from({ length: 20 }, (_, n) => frame('stdout', `${String(n).padEnd(65_000, '.')}\n`));
  const behind = Array.from({ length: 700 }, () => frame('stderr', 'e\n'));
  await using fake = await fakeEngine({ [INSPECT]: inspected('running'), [LOGS]: logOf([...noise, ...wanted, ...behind]) });
  const { bytes, result } = await read(fake, { lines: 20, stderr: false });
  assert.ok(bytes.toString('utf8', 0, 10).startsWith('0....'), bytes.toString('utf8', 0, 10));
  assert.deepEqual([bytes.length, result.truncated], [1024 * 1024, true]);
});
