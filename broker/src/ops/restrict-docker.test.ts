/** Grants on containers, images, volumes and networks are judged on the object that the engine lists, not on what was typed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grant } from '@steward/shared/config/types.ts';
import { dockerExec } from '@steward/shared/ops/docker/exec.ts';
import { failsWith } from '@steward/shared/testing/context.ts';
import { fakeEngine, type FakeEngine } from '@steward/shared/testing/fake-engine.ts';
import { byContainer, byContainerAndCommand, byContainerResource, byObjectResource, byPruneTarget } from './restrict-docker.ts';
import type { RestrictionCall } from '@steward/shared/catalogue/row.ts';

const WEB = 'ab'.repeat(32);
const DB = `ab${'cd'.repeat(31)}`;
const IMAGE = `sha256:${'e'.repeat(64)}`;
const LISTED = {
  'GET /containers/json': [
    { Id: WEB, Names: ['/db/web-alias', '/web'] },
    { Id: DB, Names: ['/db'] },
  ],
  'GET /images/json': [{ Id: IMAGE, RepoTags: ['reg/team:1'] }],
  'GET /volumes': { Volumes: [{ Name: 'data' }] },
};

function call(fake: FakeEngine, args: Record<string, unknown>, grant: Partial<Grant>): RestrictionCall {
  const { signal } = new AbortController();
  return {
    args,
    grant: { allowed: true, line: 7, ...grant },
    user: 'ops',
    op: dockerExec,
    tool: 'docker-image://team/inspect',
    guard: { isProtected: () => false, isNear: () => false, check: () => undefined, list: { trees: [], readOnly: [], pids: [] } },
    account: { account: '' },
    writes: false,
    programs: { run: () => Promise.reject(new Error('no programs')) },
    engine: () => fake.open(),
    signal,
  };
}

test('name, full id and short id of the container that was meant match the list', async () => {
  await using fake = await fakeEngine(LISTED);
  const decide = (container: string, containers: string[]) =>
    byContainer.decide(call(fake, { container, more: 1 }, { containers }));
  for (const typed of ['web', WEB, 'abab']) {
    for (const entry of ['web', 'w*', WEB, 'abababababab', 'ababab*', '*']) {
      const { args, object, rule } = await decide(typed, ['x', entry]);
      assert.deepEqual([args, object, rule], [{ container: WEB, more: 1 }, `container web (${WEB})`, `containers: ${entry}`]);
    }
  }
});

// abuse 89: broker
test('a container outside of the list is refused by name, full id and prefix', async () => {
  await using fake = await fakeEngine(LISTED);
  const message =
    "not authorized to act on container db (abcdcdcdcdcd): it is not in this tool's containers: list in grants.yaml";
  for (const container of ['db', DB, 'abcd']) {
    await assert.rejects(
      async () => byContainer.decide(call(fake, { container }, { containers: ['web', 'd', 'web-alias', 'db/*'] })),
      { message },
    );
  }
  // What db calls web through a link permits nothing on web.
  await assert.rejects(
    async () => byContainer.decide(call(fake, { container: 'web' }, { containers: ['db*'] })),
    failsWith('container_restricted'),
  );
  const resource =
    'not authorized to act on container db (abcdcdcdcdcd): it is not in the docker-container:// list in grants.yaml';
  await assert.rejects(async () => byContainerResource.decide(call(fake, { container: 'db' }, { containers: ['web'] })), {
    message: resource,
  });
});

test('without a list, and with an identifier that is none, the engine is not asked', async () => {
  await using fake = await fakeEngine(LISTED);
  const refused = { ...call(fake, {}, {}), engine: () => assert.fail('the engine was asked') };
  for (const restriction of [byContainer, byContainerAndCommand]) {
    const decide = (container: string, grant: Partial<Grant>) => async () =>
      restriction.decide({ ...refused, args: { container, command: ['x'] }, grant: { allowed: true, line: 1, ...grant } });
    await assert.rejects(decide('web', {}), failsWith('containers_missing'));
    for (const bad of ['../images/prune?x=', 'x?force=1', '%2e%2e', 'a'.repeat(300), 'wеb']) {
      await assert.rejects(decide(bad, { containers: ['*'] }), failsWith('container_invalid'), bad);
    }
  }
});

test('commands are prefixes, element by element', async () => {
  await using fake = await fakeEngine(LISTED);
  const decide = (command: string[], commands?: string[][]) => async () =>
    byContainerAndCommand.decide(
      call(fake, { container: 'web', command }, { containers: ['web'], ...(commands ? { commands } : {}) }),
    );
  const nginx = [
    ['nginx', '-t'],
    ['cat', '/etc/x'],
  ];
  for (const good of [
    ['nginx', '-t'],
    ['nginx', '-t', '-q'],
    ['cat', '/etc/x', '/etc/shadow'],
  ])
    await decide(good, nginx)();
  for (const bad of [['nginx'], ['nginx', '-tq'], ['nginx -t'], ['sh', '-c', 'nginx -t'], ['cat', '/etc/xy']]) {
    await assert.rejects(decide(bad, nginx), failsWith('exec_restricted'), bad.join(' '));
  }
  await decide(['anything'])();
  await decide(['anything'], [[]])();
  await assert.rejects(decide(['anything'], []), failsWith('exec_restricted'));
});

test('other objects by any of their names; the refusal names the list that lacks them', async () => {
  await using fake = await fakeEngine(LISTED);
  const image = (name: string, containers: string[]) => async () =>
    byObjectResource('image').decide(call(fake, { name }, { containers }));
  for (const entry of ['*', 'reg/*', 'eeeeeeeeeeee', IMAGE]) {
    const { args, object } = await image('reg/team:1', [entry])();
    assert.deepEqual([args, object], [{ name: IMAGE }, 'image reg/team:1']);
  }
  await assert.rejects(image('reg/team:1', ['team']), {
    message:
      'user ops is not authorized to read docker-image://team/inspect: add it under resources: docker-image:// in grants.yaml',
  });
  await assert.rejects(image('nothing', ['*']), { message: 'docker API returned 404: No such image: nothing' });
  const volume = await byObjectResource('volume').decide(call(fake, { name: 'data' }, { containers: ['d*'] }));
  assert.deepEqual(volume.args, { name: 'data' });
});

test('prune only what is listed', async () => {
  await using fake = await fakeEngine({});
  const decide = (target: string, prune?: string[]) => () => byPruneTarget.decide(call(fake, { target }, prune ? { prune } : {}));
  assert.equal(decide('images', ['images'])().rule, 'prune: images');
  assert.throws(decide('volumes', ['images', 'build-cache']), {
    message:
      "not authorized to prune volumes: it is not in this tool's prune: list in grants.yaml (granted: images, build-cache)",
  });
  assert.throws(decide('volumes'), failsWith('prune_missing'));
});
