/** Logs and commands on a real engine: what they wrote, how much of it, and how long is waited. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/pair.ts';
import { engineFixture, skip } from '../support/engine/fixture.ts';

/** Seconds of a command that outlasts the general limit; EXEC_SECONDS=120 tries more patience than usual. */
const LONG = Number(process.env['EXEC_SECONDS'] ?? 4);
const LOOP = 'while :; do sleep 0.1; done';
const ids: Record<string, string> = {};

const fixture = engineFixture(
  async (engine) => {
    ids['web'] = await engine.container('web', ['sh', '-c', LOOP], { Env: ['TOKEN=hunter2'] });
    ids['said'] = await engine.container('said', ['sh', '-c', 'for n in $(seq 300); do echo out $n; echo err $n >&2; done']);
    ids['much'] = await engine.container('much', ['sh', '-c', 'yes 0123456789012345678901234567890 | head -n 50000']);
    ids['long'] = await engine.container('long', [
      'sh',
      '-c',
      'echo first; yes x | head -n 20000 | tr -d "\\n"; echo; echo last',
    ]);
    ids['term'] = await engine.container('term', ['sh', '-c', 'echo one; echo two >&2'], { Tty: true });
    ids['mute'] = await engine.container('mute', ['true']);
    for (const name of ['said', 'much', 'long', 'term', 'mute'])
      await eventually(async () => (await engine.state(name)) === 'exited');
  },
  // Short, to show that commands have a limit of their own.
  { daemon: 'limits: {timeout_seconds: 2}\ntools: {docker/logs: {timeout_seconds: 30}}\n' },
);

const short = (name: string): string => (ids[name] ?? '').slice(0, 12);

interface Logs {
  readonly lines: number;
  readonly logs: string;
  readonly truncated?: boolean;
}
const logs = async (container: string, more = {}) => (await fixture.data('docker/logs', { container, ...more })) as Logs;

test('the last lines, of both streams or of one', { skip }, async () => {
  const { text } = await fixture.ops.call('docker/logs', { container: 'said', lines: 4 });
  // The engine reads the two streams one by one: in which order they end up in the log is its own business.
  assert.match(text, /^((out|err) \d+\n){4}$/);
  const all = (await logs('said', { lines: 1000 })).logs.trimEnd().split('\n');
  const expected = ['out', 'err'].flatMap((stream) => Array.from({ length: 300 }, (_, n) => `${stream} ${n + 1}`));
  assert.deepEqual(all.sort(), expected.sort());
  assert.equal((await logs('said')).lines, 100);
  const out = await logs('said', { lines: 3, stderr: false });
  assert.deepEqual(out, { container: 'said', id: short('said'), lines: 3, logs: 'out 298\nout 299\nout 300\n' });
  assert.equal((await logs('said', { lines: 1000, stdout: false })).lines, 300);
  const stamped = await logs('said', { lines: 1, stderr: false, timestamps: true });
  assert.match(stamped.logs, /^\d{4}-\d\d-\d\dT[\d:.]+Z out 300\n$/);
});

test('times cut the log', { skip }, async () => {
  const now = Math.floor(Date.now() / 1000);
  assert.equal((await logs('said', { since: now + 60 })).lines, 0);
  assert.equal((await logs('said', { until: String(now - 3600) })).lines, 0);
  assert.equal((await logs('said', { since: new Date((now - 3600) * 1000).toISOString() })).lines, 100);
  const wrong = await fixture.ops.call('docker/logs', { container: 'said', since: '-1h' });
  assert.equal(wrong.text, 'invalid time "-1h": give a unix timestamp (1759005000) or an RFC3339 time');
});

test('no output, no streams', { skip }, async () => {
  const none = `Container mute (${short('mute')}) has no log output for this selection.`;
  assert.equal((await fixture.ops.call('docker/logs', { container: 'mute' })).text, none);
  assert.deepEqual(await logs('said', { stdout: false, stderr: false }), {
    container: 'said',
    id: short('said'),
    lines: 0,
    logs: '',
  });
});

test('a long answer is cut at its end, a line in parts is one line, a terminal has one stream', { skip }, async () => {
  const much = await logs('much', { lines: 50_000 });
  assert.equal(much.logs.length, 1024 * 1024);
  assert.deepEqual([much.truncated, much.lines], [true, Math.ceil((1024 * 1024) / 32)]);
  assert.equal((await logs('much', { lines: 10 })).logs, '0123456789012345678901234567890\n'.repeat(10));
  const { logs: text, lines } = await logs('long', { lines: 2 });
  assert.deepEqual([lines, text.length], [2, 20_001 + 5]);
  assert.equal((await logs('term')).logs, 'one\r\ntwo\r\n');
});

interface Exec {
  readonly exit_code: number | null;
  readonly running: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated?: boolean;
}
const exec = async (command: string[], more = {}) =>
  (await fixture.data('docker/exec', { container: 'web', command, ...more })) as Exec;

test('an exit code is no failure; streams apart', { skip }, async () => {
  const result = await exec(['sh', '-c', 'echo out; echo err >&2; exit 3']);
  const about = { container: 'web', id: short('web'), command: ['sh', '-c', 'echo out; echo err >&2; exit 3'] };
  assert.deepEqual(result, { ...about, exit_code: 3, running: false, stdout: 'out\n', stderr: 'err\n' });
  const { text, isError } = await fixture.ops.call('docker/exec', {
    container: 'web',
    command: ['sh', '-c', 'echo out; echo err >&2; exit 3'],
  });
  assert.equal(isError, false);
  assert.equal(
    text,
    `Container web (${short('web')}): sh -c echo out; echo err >&2; exit 3\nExit code: 3\n--- stdout ---\nout\n--- stderr ---\nerr`,
  );
  assert.match(
    (await fixture.ops.call('docker/exec', { container: 'web', command: ['true'] })).text,
    /Exit code: 0\n\(no output\)$/,
  );
});

test('no shell, no stdin, no terminal; user and directory as asked', { skip }, async () => {
  assert.equal((await exec(['echo', '$HOME', ';', 'id'])).stdout, '$HOME ; id\n');
  assert.equal((await exec(['sh', '-c', 'cat | wc -c; [ -t 0 ] || [ -t 1 ] || echo no terminal'])).stdout, '0\nno terminal\n');
  assert.equal((await exec(['sh', '-c', 'id -u; pwd'], { user: 'app', working_dir: '/srv' })).stdout, '1000\n/srv\n');
  assert.equal((await exec(['id', '-g'], { user: '7:9' })).stdout, '9\n');
  const said = async (more: object) =>
    (await fixture.ops.call('docker/exec', { container: 'web', command: ['id'], ...more })).text;
  assert.equal(await said({ user: 'a b' }), 'invalid user "a b"');
  assert.equal(await said({ working_dir: 'srv' }), 'working_dir must be absolute, got "srv"');
  assert.equal(await said({ command: 'id' }), 'command is required: an argv array such as ["ls", "-l"]');
  assert.match(await said({ container: 'mute' }), /^docker API returned 409: .*not running/);
});

test('1 MiB and no more', { skip }, async () => {
  const command = ['sh', '-c', 'yes 0123456 | head -c 1500000; echo late >&2'];
  const result = await exec(command);
  assert.equal(result.stdout.length + result.stderr.length, 1024 * 1024);
  assert.deepEqual([result.truncated, result.exit_code], [true, 0]);
  assert.ok(
    (await fixture.ops.call('docker/exec', { container: 'web', command })).text.endsWith(
      '\n[WARNING: Output truncated at 1 MiB]',
    ),
  );
  assert.equal((await exec(['sh', '-c', 'yes 0123456 | head -c 1048576'])).truncated, undefined);
});

test('its own limit: reached in time, and beyond the general one', { skip }, async (context) => {
  const began = performance.now();
  const late = await fixture.ops.call('docker/exec', { container: 'web', command: ['sleep', '60'], timeout: 2 });
  const waited = performance.now() - began;
  context.diagnostic(`timeout 2: answered after ${(waited / 1000).toFixed(1)} s`);
  assert.ok(waited < 50_000, 'it has waited for the command');
  assert.equal(late.text, `timed out after 2 seconds - the command may still be running in container web (${short('web')})`);
  assert.deepEqual([late.isError, late.code], [true, 'TIMEOUT']);
  const patient = await exec(['sh', '-c', `sleep ${LONG}; echo done`], { timeout: Math.min(300, LONG * 2 + 20) });
  assert.deepEqual([patient.stdout, patient.exit_code], ['done\n', 0]);
  const outcome = fixture.pair.records().findLast(({ op, code }) => op === 'docker/exec' && code === 'TIMEOUT');
  assert.equal(outcome?.kind, 'outcome');
});

test('a dry run runs nothing', { skip }, async () => {
  const asked = { container: 'web', command: ['mkdir', '/tmp/made'], dry_run: true };
  assert.equal(
    (await fixture.ops.call('docker/exec', asked)).text,
    `Dry run: would run mkdir /tmp/made in container web (${short('web')}), now running`,
  );
  assert.equal((await exec(['ls', '/tmp'])).stdout, '');
});

test('a client that closes its stream stops waiting for the command', { skip }, async () => {
  const client = await fixture.pair.connect('ops');
  const asking = client.call('docker/exec', { container: 'web', command: ['sleep', '77'], timeout: 100 });
  asking.catch(() => undefined);
  const begun = await eventually(() =>
    fixture.pair.records().find((one) => one.kind === 'intent' && one.args?.['command'] === '["sleep","77"]'),
  );
  await eventually(async () => (await fixture.read('docker-container://web/top')).includes('sleep 77'));
  client.close();
  const ended = await eventually(() => fixture.pair.records().find((one) => one.kind === 'outcome' && one.intent === begun.seq));
  assert.equal(ended.code, 'CANCELLED');
});

test('what commands and containers are given is in no record', { skip }, async () => {
  await exec(['env']);
  assert.doesNotMatch(JSON.stringify(fixture.pair.records()), /hunter2/);
});
