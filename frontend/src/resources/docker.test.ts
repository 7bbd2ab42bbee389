/** Which operation of the broker a docker URI asks for, and what is said of those that name none. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NO_GRANTS, type UserGrants } from '@steward/shared/config/types.ts';
import type { Operation } from '@steward/shared/ops/operation.ts';
import { iterate, collect } from '../testing/outcome.ts';
import { DOCKER_TEMPLATES } from './docker.ts';
import { matchTemplate } from './match.ts';
import type { ResourceContext } from './resource.ts';

const asked: { op: string; args: unknown }[] = [];

function contextFor(uri: string, params: Readonly<Record<string, string>>): ResourceContext {
  return {
    ...{ uri, params, user: 'ops', grants: NO_GRANTS },
    runLocal: () => Promise.reject(new Error('never here')),
    runRoot: <Args, Result, Item>(op: Operation<Args, Result, Item>, args: Args) => {
      asked.push({ op: op.name, args });
      const records = [{ Id: 'x' }] as Item[];
      return Promise.resolve({ result: {} as Result, records: () => iterate(records), bytes: () => iterate<Uint8Array>([]) });
    },
  };
}

async function read(uri: string): Promise<{ op: string; args: unknown } | undefined> {
  for (const template of DOCKER_TEMPLATES) {
    const params = matchTemplate(template.matches ?? template.uriTemplate, uri);
    if (params === undefined) continue;
    const { mimeType, text } = await template.read(contextFor(uri, params));
    assert.equal(mimeType, 'application/json');
    assert.equal(await collect(text), '{\n  "Id": "x"\n}');
    return asked.at(-1);
  }
  return undefined;
}

test('templates in the order of the catalogue', () => {
  assert.deepEqual(
    DOCKER_TEMPLATES.map(({ uriTemplate, group, verb }) => [uriTemplate, group, verb]),
    [
      ...['status', 'inspect', 'stats', 'top'].map((view) => [`docker-container://{name}/${view}`, 'docker', view]),
      ['docker-image://{ref}/inspect', 'docker', 'image'],
      ['docker-volume://{name}/inspect', 'docker', 'volume'],
      ['docker-network://{name}/inspect', 'docker', 'network'],
    ],
  );
});

test('each URI asks the broker, which alone knows what it means', async () => {
  for (const view of ['status', 'inspect', 'stats', 'top']) {
    assert.deepEqual(await read(`docker-container://web/${view}`), {
      op: 'resource/docker-container',
      args: { container: 'web', view },
    });
  }
  const image = { op: 'resource/docker-image', args: { name: 'registry:5000/team/x:1' } };
  assert.deepEqual(await read('docker-image://registry:5000/team/x:1/inspect'), image);
  assert.deepEqual(await read('docker-volume://data/inspect'), { op: 'resource/docker-volume', args: { name: 'data' } });
  assert.deepEqual(await read('docker-network://a%20b/inspect'), { op: 'resource/docker-network', args: { name: 'a b' } });
  const escaped = { op: 'resource/docker-container', args: { container: '../images', view: 'status' } };
  assert.deepEqual(await read('docker-container://..%2fimages/status'), escaped);
});

test('what names no view or no object', async () => {
  await assert.rejects(read('docker-container://web/logs'), {
    message: 'unknown view "logs" for docker-container://web/logs: use .../status, /inspect, /stats or /top',
  });
  await assert.rejects(read('docker-container:///status'), { key: 'container_invalid' });
  await assert.rejects(read('docker-image:///inspect'), { key: 'docker_not_found' });
  assert.equal(await read('docker-image://x/history'), undefined);
  assert.equal(await read('docker-container://web'), undefined);
});

describe('completion', () => {
  const listed: Readonly<Record<string, readonly object[]>> = {
    'docker/containers': [{ name: 'web' }],
    'docker/images': [{ repo_tags: ['box:1', 'box:2'] }, { repo_tags: ['<none>:<none>'] }],
    'docker/volumes': [{ name: 'data' }],
    'docker/networks': [{ name: 'front' }],
  };
  const places = {
    'docker-container://{name}/top': ['name', 'docker/containers', ['web']],
    'docker-image://{ref}/inspect': ['ref', 'docker/images', ['box:1', 'box:2']],
    'docker-volume://{name}/inspect': ['name', 'docker/volumes', ['data']],
    'docker-network://{name}/inspect': ['name', 'docker/networks', ['front']],
  } as const;

  for (const [uri, [place, tool, names]] of Object.entries(places)) {
    test(`${uri}: what the listing shows, to those who have a grant for it`, async () => {
      const choose = DOCKER_TEMPLATES.find(({ uriTemplate }) => uriTemplate === uri)?.complete?.[place];
      const context = (tools: UserGrants['tools']): ResourceContext => ({
        ...contextFor(uri, {}),
        grants: { ...NO_GRANTS, tools },
        runRoot: <Args, Result, Item>(op: Operation<Args, Result, Item>) => {
          assert.equal(op.name, tool);
          const records = listed[op.name] as Item[];
          return Promise.resolve({ result: {} as Result, records: () => iterate(records), bytes: () => iterate<Uint8Array>([]) });
        },
      });
      assert.deepEqual(await choose?.(context({ [tool]: { allowed: true, line: 1 } })), names);
      assert.deepEqual(await choose?.(context({})), []);
    });
  }
});
