/** Containers on a real engine: listed, started, stopped, removed, and who may do that to which. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/pair.ts';
import { engineFixture, EVERYTHING, skip, TOOLS } from '../support/engine/fixture.ts';

/** Ends when it is asked to, so that stopping it takes no grace. */
const LOOP = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.1; done'];
const ids: Record<string, string> = {};

const fixture = engineFixture(
  async (engine) => {
    const labels = { Labels: { app: 'web' }, Env: ['TOKEN=hunter2'] };
    ids['web'] = await engine.container('web', LOOP, labels);
    ids['web-2'] = await engine.container('web-2', LOOP);
    ids['db'] = await engine.container('db', LOOP, { HostConfig: { Links: ['web:alias'] } });
    ids['done'] = await engine.container('done', ['true']);
    ids['held'] = await engine.container('held', LOOP);
    await engine.ask('POST', '/containers/held/pause');
    ids['again'] = await engine.container('again', ['sh', '-c', 'exit 3'], { HostConfig: { RestartPolicy: { Name: 'always' } } });
    ids['fresh'] = await engine.container('fresh', ['true'], {}, false);
    await eventually(async () => (await engine.state('again')) === 'restarting', 20_000);
    await eventually(async () => (await engine.state('done')) === 'exited');
  },
  {
    users: ['ops', 'dev', 'bare', 'guest'],
    grants: `${EVERYTHING}  dev:
    tools:
      docker/containers: {allowed: true}
      docker/manage: {allowed: true, containers: ["web*"]}
      docker/logs: {allowed: true, containers: []}
      docker/exec: {allowed: true, containers: ["web"], commands: [[echo, one], [cat]]}
  bare:
    tools:
      docker/manage: {allowed: true}
      docker/containers: {allowed: false}
`,
  },
);

const short = (name: string): string => (ids[name] ?? '').slice(0, 12);
const manage = (container: string, action: string, more = {}) =>
  fixture.ops.call('docker/manage', { container, action, ...more });

interface Listed {
  readonly name: string;
  readonly names: string[];
  readonly state: string;
}

test('states, filters and order', { skip }, async () => {
  const list = async (args = {}) => (await fixture.data('docker/containers', args)) as Listed[];
  const states = Object.fromEntries((await list({ all: true })).map(({ name, state }) => [name, state]));
  const expected = { web: 'running', 'web-2': 'running', db: 'running', done: 'exited', held: 'paused', fresh: 'created' };
  assert.deepEqual({ ...states, again: 'restarting' }, { ...expected, again: 'restarting' });
  assert.deepEqual(
    (await list({ state: 'exited' })).map(({ name }) => name),
    ['done'],
  );
  assert.deepEqual(
    (await list({ state: 'paused' })).map(({ name }) => name),
    ['held'],
  );
  assert.deepEqual((await list({ pattern: 'web*' })).map(({ name }) => name).sort(), ['web', 'web-2']);
  assert.equal((await list({ all: true, limit: 2 })).length, 2);
  assert.deepEqual(await list({ pattern: 'none' }), []);
  const web = (await list({ pattern: 'web' }))[0] ?? assert.fail('no web');
  assert.deepEqual(web.names, ['web', 'db/alias']);
  const { created, status, ...rest } = web as unknown as Record<string, unknown>;
  assert.match(String(created), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.match(String(status), /^Up /);
  const { image_id: image, command, ...more } = rest;
  assert.match(String(image), /^[0-9a-f]{12}$/);
  assert.match(String(command), /^sh -c/);
  const about = { name: 'web', names: ['web', 'db/alias'], id: short('web'), full_id: ids['web'], image: 'box:1' };
  assert.deepEqual(more, { ...about, state: 'running', ports: '', labels: { app: 'web' } });
  const { text } = await fixture.ops.call('docker/containers', { pattern: 'web' });
  assert.match(text, new RegExp(`^\\[running\\] web \\(${short('web')}\\)\n  Image: box:1\n  Status: Up .*\n  Ports: -$`));
});

test('what is in the state already is unchanged', { skip }, async () => {
  assert.equal(
    (await manage('web', 'start')).text,
    `Container web (${short('web')}): start not needed, it is already in that state.`,
  );
  assert.deepEqual(await fixture.data('docker/manage', { container: 'done', action: 'stop' }), {
    ...{ container: 'done', id: short('done'), action: 'stop', result: 'unchanged' },
  });
});

test('the whole life of a container, by name, id and prefix', { skip }, async () => {
  const id = await fixture.engine.container('life', LOOP, {}, false);
  const said = async (identifier: string, action: string) => (await manage(identifier, action)).text;
  const done = (action: string): string => `Container life (${id.slice(0, 12)}): ${action} succeeded.`;
  assert.equal(await said('life', 'start'), done('start'));
  assert.equal(await said(id, 'pause'), done('pause'));
  assert.equal(await fixture.engine.state('life'), 'paused');
  assert.equal(await said(id.slice(0, 12), 'unpause'), done('unpause'));
  assert.equal(await said(id.slice(0, 20), 'restart'), done('restart'));
  assert.equal(await fixture.engine.state('life'), 'running');
  assert.equal(await said('life', 'kill'), done('kill'));
  await eventually(async () => (await fixture.engine.state('life')) === 'exited');
  assert.match(await said('life', 'kill'), /^docker API returned 409: .*not running/);
  assert.equal(await said('life', 'remove'), done('remove'));
  assert.equal(await fixture.engine.state('life'), undefined);
  assert.equal(await said('life', 'start'), 'docker API returned 404: No such container: life');
});

test('a running container is not removed; anonymous volumes stay', { skip }, async () => {
  const refused = await manage('web', 'remove');
  assert.match(
    refused.text,
    /^docker API returned 409: You cannot remove a running container .* - stop or kill it first \(this tool never removes a running container by force\)$/,
  );
  assert.deepEqual([refused.isError, refused.code], [true, 'CONFLICT']);
  assert.equal(await fixture.engine.state('web'), 'running');
  await fixture.engine.container('kept', ['true'], { Volumes: { '/data': {} } });
  await eventually(async () => (await fixture.engine.state('kept')) === 'exited');
  const volumes = async (): Promise<number> =>
    ((await fixture.engine.ask('GET', '/volumes')).json as { Volumes: unknown[] }).Volumes.length;
  const before = await volumes();
  assert.equal((await manage('kept', 'remove')).isError, false);
  assert.equal(await volumes(), before);
});

test('a dry run changes nothing', { skip }, async () => {
  assert.equal(
    (await manage('web', 'stop', { dry_run: true })).text,
    `Dry run: would stop container web (${short('web')}), now running`,
  );
  assert.equal((await manage('web', 'remove', { dry_run: true })).isError, true);
  assert.equal(await fixture.engine.state('web'), 'running');
  const misspelt = await manage('web', 'stop', { drry_run: true });
  assert.equal(misspelt.text, 'unknown argument "drry_run" (did you mean dry_run?)');
  assert.equal(await fixture.engine.state('web'), 'running');
});

test('identifiers that are none never reach the engine', { skip }, async () => {
  const seen = fixture.pair.records().length;
  for (const bad of ['../images/prune?x=', 'x?force=1', '%2e%2e', 'a'.repeat(300), 'wеb', 'web/../db']) {
    const answer = await manage(bad, 'stop');
    assert.equal(answer.text, `invalid container identifier "${bad}": expected a container name or hexadecimal id`);
    assert.equal(answer.code, 'BAD_ARGS');
  }
  assert.ok(
    fixture.pair
      .records()
      .slice(seen)
      .every(({ kind }) => kind === 'refusal'),
  );
  const ambiguous = await fixture.ops.call('docker/manage', { container: '', action: 'stop' });
  assert.equal(ambiguous.text, 'container name or ID is required');
});

// abuse 89: frontend
test('a container outside of the grant is refused by name, full id and prefix', { skip }, async () => {
  const dev = await fixture.pair.connect('dev');
  const refusal = `not authorized to act on container db (${short('db')}): it is not in this tool's containers: list in grants.yaml`;
  for (const container of ['db', ids['db'] ?? '', short('db'), (ids['db'] ?? '').slice(0, 9)]) {
    const answer = await dev.call('docker/manage', { container, action: 'stop' });
    assert.deepEqual([answer.text, answer.code], [refusal, 'RESTRICTED'], container);
  }
  assert.equal(await fixture.engine.state('db'), 'running');
  assert.equal((await dev.call('docker/manage', { container: 'web-2', action: 'start' })).isError, false);
  assert.match((await dev.call('docker/logs', { container: 'web' })).text, /^not authorized to act on container web/);
  const exec = async (container: string, command: string[]) => (await dev.call('docker/exec', { container, command })).text;
  assert.match(await exec('web', ['echo', 'one', 'two']), /Exit code: 0\n--- stdout ---\none two$/);
  assert.equal(
    await exec('web', ['echo', 'two']),
    "not authorized to run this command: it matches no entry of this tool's commands: list in grants.yaml",
  );
  assert.match(await exec('web-2', ['cat']), /^not authorized to act on container web-2/);
  // Every container is listed, whatever may be done to it.
  assert.match((await dev.call('docker/containers', { all: true })).text, /\] db \(/);
});

// abuse 47: frontend
test('without a grant, without `allowed`, without a list', { skip }, async () => {
  const [guest, bare] = [await fixture.pair.connect('guest'), await fixture.pair.connect('bare')];
  const args: Record<string, object> = {
    manage: { container: 'web', action: 'stop' },
    logs: { container: 'web' },
    exec: { container: 'web', command: ['id'] },
    prune: { target: 'images' },
  };
  for (const tool of TOOLS) {
    const answer = await guest.call(`docker/${tool}`, { ...args[tool] });
    const why =
      'the container engine socket belongs to root, so every docker/* tool needs allowed: true in its grant in grants.yaml';
    assert.equal(answer.text, `user guest is not authorized to run docker/${tool}: ${why}`);
    assert.equal(answer.code, 'NOT_GRANTED');
  }
  assert.match((await bare.call('docker/containers')).text, /^user bare is not authorized to run docker\/containers/);
  assert.equal(
    (await bare.call('docker/manage', { container: 'web', action: 'stop' })).text,
    "not authorized: no containers: list in this tool's grant in grants.yaml - add the names or ids this user may act on",
  );
});

test('records name the container by its id, and never an environment', { skip }, async () => {
  await fixture.read('docker-container://web/inspect');
  await manage('web-2', 'restart');
  const records = fixture.pair.records();
  const outcome = records.findLast(({ kind, op }) => kind === 'outcome' && op === 'docker/manage');
  assert.equal(outcome?.object, `container web-2 (${ids['web-2']})`);
  assert.match(String(outcome?.rule), /^containers: \* \(grants\.yaml:\d+\)$/);
  assert.equal(outcome?.code, 'OK');
  assert.doesNotMatch(JSON.stringify(records), /hunter2/);
});
