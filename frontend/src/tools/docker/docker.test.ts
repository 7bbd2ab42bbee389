/** Proves words, texts and JSON forms of the docker tools, and what callers may write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExecResult } from '@steward/shared/ops/docker/exec.ts';
import type { OutputRecord } from '@steward/shared/ops/docker/exec-output.ts';
import type { ManageResult } from '@steward/shared/ops/docker/manage.ts';
import type { PruneResult } from '@steward/shared/ops/docker/prune.ts';
import { optionsOf, outcomeOf, textOf } from '../../testing/outcome.ts';
import { parametersOf } from '../parameters.ts';
import type { Rendered } from '../tool.ts';
import { dockerContainersTool } from './containers.ts';
import { dockerExecTool } from './exec.ts';
import { dockerImagesTool } from './images.ts';
import { DOCKER_TOOLS } from './index.ts';
import { dockerLogsTool } from './logs.ts';
import { dockerManageTool } from './manage.ts';
import { dockerNetworksTool } from './networks.ts';
import { dockerPruneTool } from './prune.ts';
import { dockerVolumesTool } from './volumes.ts';

const ID = '0123456789ab';
const json = async (rendered: Rendered | undefined): Promise<unknown> =>
  JSON.parse(await textOf(rendered ?? assert.fail('no JSON')));

test('names and arguments in the order of the catalogue, words within their limits', () => {
  const listed = DOCKER_TOOLS.map((tool) => {
    const names = parametersOf(tool).map(({ name, required }) => (required ? `${name}*` : name));
    return `${tool.name} ${names.join(' ')}`;
  });
  assert.deepEqual(listed, [
    'docker/containers all pattern state limit output_format',
    'docker/manage container* action* output_format dry_run',
    'docker/logs container* lines since until stdout stderr timestamps output_format',
    'docker/exec container* command* user working_dir timeout output_format dry_run',
    'docker/images all pattern output_format',
    'docker/volumes pattern output_format',
    'docker/networks pattern driver output_format',
    'docker/prune target* output_format dry_run',
  ]);
  for (const tool of DOCKER_TOOLS) {
    assert.ok(tool.description.length <= 230, tool.name);
    for (const { name, schema } of parametersOf(tool)) {
      assert.ok((('description' in schema ? schema.description : '') ?? '').length <= 48, `${tool.name} ${name}`);
    }
  }
});

test('what is missing or unknown is said in words of the tool', () => {
  const words = (tool: (typeof DOCKER_TOOLS)[number], values: Record<string, unknown>): string => {
    try {
      tool.prepare?.(values);
      return 'fine';
    } catch (error) {
      return (error as Error).message;
    }
  };
  for (const tool of [dockerManageTool, dockerLogsTool, dockerExecTool]) {
    assert.equal(words(tool, {}), 'container name or ID is required');
    assert.equal(words(tool, { container: '' }), 'container name or ID is required');
  }
  const actions = 'use one of kill, pause, restart, start, stop, unpause, remove';
  assert.equal(words(dockerManageTool, { container: 'w', action: 'delete' }), `unknown action "delete": ${actions}`);
  assert.equal(words(dockerManageTool, { container: 'w' }), 'fine');
  for (const command of [undefined, 'ls -l', []]) {
    assert.equal(words(dockerExecTool, { container: 'w', command }), 'command is required: an argv array such as ["ls", "-l"]');
  }
  const kinds = 'containers, images, volumes, networks, build-cache';
  assert.equal(words(dockerPruneTool, {}), `target is required: name the one kind to reclaim (${kinds})`);
  assert.equal(words(dockerPruneTool, { target: 'all' }), `unknown prune target "all": use one of ${kinds}`);
});

test('times may be numbers', () => {
  const prepared = dockerLogsTool.prepare?.({ container: 'w', since: 1759005000, until: '' });
  assert.deepEqual(prepared, { container: 'w', since: '1759005000' });
});

test('docker/containers', async () => {
  const web = {
    ...{ name: 'web', names: ['web'], id: ID, full_id: ID, image: 'nginx:1.27', image_id: ID, command: 'x', state: 'running' },
    ...{ status: 'Up 2 hours', created: '', ports: '0.0.0.0:8080->80/tcp', labels: {} },
  };
  const text = (records: readonly (typeof web)[]) =>
    textOf(dockerContainersTool.text(outcomeOf({ count: records.length }, records), optionsOf({})));
  assert.equal(
    await text([web, { ...web, name: 'a\nb', ports: '' }]),
    `[running] web (${ID})
  Image: nginx:1.27
  Status: Up 2 hours
  Ports: 0.0.0.0:8080->80/tcp
[running] a\\nb (${ID})
  Image: nginx:1.27
  Status: Up 2 hours
  Ports: -`,
  );
  assert.equal(await text([]), 'No containers found matching the criteria.');
});

test('docker/manage', async () => {
  const result: ManageResult = { container: 'web', id: ID, action: 'stop', result: 'ok', state: 'running' };
  const text = (more: Partial<ManageResult>) => textOf(dockerManageTool.text(outcomeOf({ ...result, ...more }), optionsOf(ARGS)));
  const ARGS = { container: 'web', action: 'stop' } as const;
  assert.equal(await text({}), `Container web (${ID}): stop succeeded.`);
  assert.equal(
    await text({ action: 'start', result: 'unchanged' }),
    `Container web (${ID}): start not needed, it is already in that state.`,
  );
  assert.equal(await text({ dry_run: true }), `Dry run: would stop container web (${ID}), now running`);
  const { state: _state, ...declared } = result;
  assert.deepEqual(await json(dockerManageTool.json?.(outcomeOf(result), optionsOf(ARGS, { form: 'json' }))), declared);
});

test('docker/logs', async () => {
  const args = { container: 'web' };
  const bytes = ['one\ntw', 'o "x"\u001b\n', 'ö'].flatMap((part) => [...Buffer.from(part)].map((byte) => Buffer.from([byte])));
  const result = { container: 'web', id: ID, lines: 3 };
  assert.equal(await textOf(dockerLogsTool.text(outcomeOf(result, [], bytes), optionsOf(args))), 'one\ntwo "x"\u001b\nö');
  const form = dockerLogsTool.json?.(outcomeOf(result, [], bytes), optionsOf(args, { form: 'json' }));
  assert.equal(await textOf(form ?? assert.fail()), JSON.stringify({ ...result, logs: 'one\ntwo "x"\u001b\nö' }, null, 2));
  const cut = { ...result, truncated: true };
  assert.deepEqual(await json(dockerLogsTool.json?.(outcomeOf(cut, [], bytes), optionsOf(args))), {
    ...result,
    logs: 'one\ntwo "x"\u001b\nö',
    truncated: true,
  });
  const none = { ...result, lines: 0 };
  assert.equal(
    await textOf(dockerLogsTool.text(outcomeOf(none), optionsOf(args))),
    `Container web (${ID}) has no log output for this selection.`,
  );
  assert.deepEqual(await json(dockerLogsTool.json?.(outcomeOf(none), optionsOf(args))), { ...none, logs: '' });
});

const EXEC: ExecResult = { container: 'web', id: ID, exit_code: 0, running: false, state: 'running' };

function exec(result: Partial<ExecResult>, ...output: readonly (readonly ['stdout' | 'stderr', string])[]) {
  const records: OutputRecord[] = output.map(([stream, text]) => ({ stream, text }));
  const outcome = outcomeOf({ ...EXEC, ...result }, records);
  const options = optionsOf({ container: 'w', command: ['ls', '-l'] });
  return { text: () => textOf(dockerExecTool.text(outcome, options)), json: () => json(dockerExecTool.json?.(outcome, options)) };
}

test('docker/exec', async () => {
  const head = `Container web (${ID}): ls -l\nExit code: 0`;
  assert.equal(await exec({}).text(), `${head}\n(no output)`);
  assert.equal(
    await exec({}, ['stdout', 'a\n'], ['stderr', 'x'], ['stdout', 'b\n']).text(),
    `${head}\n--- stdout ---\na\nb\n--- stderr ---\nx`,
  );
  assert.equal(await exec({}, ['stderr', 'x\n\n']).text(), `${head}\n--- stderr ---\nx\n`);
  assert.equal(
    await exec({ exit_code: null, running: true, truncated: true }, ['stdout', 'y\n']).text(),
    `Container web (${ID}): ls -l\nExit code: unknown, the command is still running\n--- stdout ---\ny\n[WARNING: Output truncated at 1 MiB]`,
  );
  assert.equal(
    await exec({ dry_run: true, exit_code: null }).text(),
    `Dry run: would run ls -l in container web (${ID}), now running`,
  );
  const whole = { container: 'web', id: ID, command: ['ls', '-l'], exit_code: 3, running: false };
  assert.deepEqual(await exec({ exit_code: 3 }, ['stderr', 'e"\n'], ['stdout', 'o']).json(), {
    ...whole,
    stdout: 'o',
    stderr: 'e"\n',
  });
  assert.deepEqual(await exec({ exit_code: 3, truncated: true }).json(), { ...whole, stdout: '', stderr: '', truncated: true });
});

test('docker/images, docker/volumes, docker/networks', async () => {
  const image = {
    id: ID,
    full_id: ID,
    repo_tags: ['nginx:1.27', 'n:1'],
    repo_digests: [],
    size_bytes: 93_847_552,
    created: 'C',
    containers: 0,
    labels: {},
  };
  assert.equal(
    await textOf(dockerImagesTool.text(outcomeOf({ count: 1 }, [image]), optionsOf({}))),
    `nginx:1.27, n:1\n  ID: ${ID} | Size: 89.5 MiB | Created: C`,
  );
  assert.equal(
    await textOf(dockerImagesTool.text(outcomeOf({ count: 0 }), optionsOf({}))),
    'No images found matching the criteria.',
  );
  const volume = {
    name: 'data',
    driver: 'local',
    mountpoint: '/m',
    created: '',
    scope: 'local',
    labels: {},
    options: {},
    in_use_by: ['web', 'db'],
  };
  assert.equal(
    await textOf(dockerVolumesTool.text(outcomeOf({ count: 1 }, [volume]), optionsOf({}))),
    'data\n  Driver: local | Scope: local\n  Mountpoint: /m\n  In use by: web, db',
  );
  assert.equal(
    await textOf(dockerVolumesTool.text(outcomeOf({ count: 0 }), optionsOf({}))),
    'No volumes found matching the criteria.',
  );
  const network = {
    ...{
      name: 'bridge',
      id: ID,
      full_id: ID,
      driver: 'bridge',
      scope: 'local',
      created: '',
      internal: false,
      attachable: false,
      ingress: false,
    },
    ...{ ipv6: false, ipam_driver: 'default', subnets: ['172.17.0.0/16'], gateways: [], containers: [], options: {}, labels: {} },
  };
  assert.equal(
    await textOf(dockerNetworksTool.text(outcomeOf({ count: 1 }, [network]), optionsOf({}))),
    `bridge (${ID})\n  Driver: bridge | Scope: local\n  Subnets: 172.17.0.0/16\n  Containers: -`,
  );
  assert.equal(
    await textOf(dockerNetworksTool.text(outcomeOf({ count: 0 }), optionsOf({}))),
    'No networks found matching the criteria.',
  );
});

test('docker/prune', async () => {
  const text = (result: PruneResult) => textOf(dockerPruneTool.text(outcomeOf(result), optionsOf({ target: result.target })));
  const deleted = ['1', '2', '3'].map((digit) => digit.repeat(64));
  assert.equal(
    await text({ target: 'containers', deleted, count: 3, space_reclaimed_bytes: 20_480 }),
    'containers: 3 removed, 20.0 KiB reclaimed\n  111111111111\n  222222222222\n  333333333333',
  );
  assert.equal(await text({ target: 'networks', deleted: ['net'], count: 1 }), 'networks: 1 removed\n  net');
  const untagged = `untagged x@sha256:${'4'.repeat(64)}`;
  assert.equal(
    await text({ target: 'images', deleted: [untagged, `sha256:${'5'.repeat(64)}`], count: 1, space_reclaimed_bytes: 0 }),
    'images: 1 removed, 0 B reclaimed\n  untagged x@444444444444\n  555555555555',
  );
  assert.equal(await text({ target: 'volumes', deleted: [], count: 0, dry_run: true }), 'Dry run: would remove 0 volumes');
});
