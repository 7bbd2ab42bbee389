/** The lists of containers, images, volumes and networks, and views of single objects, from documents of several engine versions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONTAINER_ID, inspected, runDocker } from '../../testing/docker.ts';
import { fail, fakeEngine } from '../../testing/fake-engine.ts';
import { misfit } from '../../testing/schema.ts';
import { dockerContainerView } from './container-view.ts';
import { dockerContainers } from './containers.ts';
import { dockerImages } from './images.ts';
import { dockerNetworks } from './networks.ts';
import { dockerImageView, dockerVolumeView } from './object-view.ts';
import { dockerVolumes } from './volumes.ts';

const IMAGE = `sha256:${'9'.repeat(64)}`;
const container = (Names: string[], State: string, Created: number, more = {}) => ({
  ...{ Id: String(Created).repeat(64).slice(0, 64), Names, State, Created, Status: 'Up', Image: 'x:1', ImageID: IMAGE },
  ...more,
});
const CONTAINERS = [
  container(['/old'], 'exited', 1, { Labels: null, Ports: null, Mounts: null }),
  container(['/web/alias', '/db'], 'running', 3, {
    Labels: { a: 'b' },
    Command: 'run',
    Mounts: [{ Type: 'volume', Name: 'data' }],
  }),
  container(['/web'], 'running', 2, {
    Mounts: [
      { Type: 'bind', Source: '/data' },
      { Type: 'volume', Name: 'data' },
    ],
  }),
];

test('containers, newest first, filtered before they are counted', async () => {
  await using fake = await fakeEngine({
    'GET /containers/json': (response, { query }) =>
      void response.end(JSON.stringify(CONTAINERS.filter(({ State }) => query['all'] === 'true' || State === 'running'))),
  });
  const names = async (args: Parameters<typeof dockerContainers.run>[0]) =>
    (await runDocker(dockerContainers, args, fake)).records.map(({ name }) => name);
  assert.deepEqual(await names({}), ['db', 'web']);
  assert.deepEqual(await names({ all: true }), ['db', 'web', 'old']);
  assert.deepEqual(await names({ state: 'exited' }), ['old']);
  assert.deepEqual(await names({ all: true, pattern: '[wo]*' }), ['web', 'old']);
  assert.deepEqual(await names({ all: true, pattern: 'web/*' }), []);
  assert.deepEqual(await names({ all: true, limit: 1 }), ['db']);
  const { records, result } = await runDocker(dockerContainers, { limit: 1 }, fake);
  assert.equal(result.count, 1);
  assert.deepEqual(records[0], {
    ...{ name: 'db', names: ['db', 'web/alias'], id: '333333333333', full_id: '3'.repeat(64), image: 'x:1' },
    ...{ image_id: '999999999999', command: 'run', state: 'running', status: 'Up', created: '1970-01-01T00:00:03Z' },
    ...{ ports: '', labels: { a: 'b' } },
  });
  for (const one of (await runDocker(dockerContainers, { all: true }, fake)).records) {
    assert.equal(misfit(dockerContainers.record ?? { type: 'null' }, one), undefined);
  }
});

test('images with their users; untagged ones, whatever the engine calls them', async () => {
  await using fake = await fakeEngine({
    'GET /containers/json': CONTAINERS,
    'GET /images/json': [
      { Id: IMAGE, RepoTags: ['reg:5000/team/x:1', 'x:1'], RepoDigests: null, Size: 10, Created: 5, Labels: null },
      { Id: `sha256:${'8'.repeat(64)}`, RepoTags: ['<none>:<none>'], RepoDigests: ['<none>@<none>'], Size: 20, Created: 7 },
      { Id: `sha256:${'7'.repeat(64)}`, RepoTags: [], Size: 30, Created: 6 },
    ],
  });
  const { records } = await runDocker(dockerImages, {}, fake);
  assert.deepEqual(
    records.map(({ id, repo_tags: tags, repo_digests: digests, containers }) => [id, tags, digests, containers]),
    [
      ['888888888888', ['<none>:<none>'], [], 0],
      ['777777777777', ['<none>:<none>'], [], 0],
      ['999999999999', ['reg:5000/team/x:1', 'x:1'], [], 3],
    ],
  );
  const found = async (pattern: string) => (await runDocker(dockerImages, { pattern }, fake)).result.count;
  assert.deepEqual(
    await Promise.all(['x', 'x:1', 'reg:5000/team/x', '*team*', '<none>*', 'x:2', 'reg'].map(found)),
    [1, 1, 1, 1, 2, 0, 0],
  );
});

test('volumes and who uses them', async () => {
  await using fake = await fakeEngine({
    'GET /containers/json': CONTAINERS,
    'GET /volumes': {
      Volumes: [
        { Name: 'tmp' },
        { Name: 'data', Driver: 'local', Options: { o: 'bind' }, CreatedAt: '2026-11-20T16:00:00+01:00' },
      ],
    },
  });
  const { records } = await runDocker(dockerVolumes, {}, fake);
  assert.deepEqual(
    records.map(({ name, in_use_by: users }) => [name, users]),
    [
      ['data', ['db', 'web']],
      ['tmp', []],
    ],
  );
  assert.deepEqual([records[0]?.options, records[0]?.created], [{ o: 'bind' }, '2026-11-20T15:00:00Z']);
  assert.equal((await runDocker(dockerVolumes, { pattern: 'd*' }, fake)).result.count, 1);
});

test('networks with their containers; one that goes away meanwhile is left out', async () => {
  const list = ['1', '2', '3'].map((digit) => ({
    Id: digit.repeat(64),
    Name: `net${digit}`,
    Driver: digit === '1' ? 'host' : 'bridge',
  }));
  await using fake = await fakeEngine({
    'GET /networks': list,
    'GET /networks/{network}': (response, { url }) => {
      const network = list.find(({ Id }) => url.endsWith(Id));
      if (network?.Name === 'net3') return fail(response, 404, 'network not found');
      const Containers = {
        x: { Name: 'web', IPv4Address: '172.17.0.2/16' },
        y: { Name: 'bare', IPv4Address: '' },
        z: { Name: 'six', IPv6Address: 'fd00::2/64' },
      };
      const IPAM = { Driver: 'default', Config: [{ Subnet: '172.17.0.0/16', Gateway: '172.17.0.1' }, { Subnet: 'fd00::/64' }] };
      return void response.end(JSON.stringify({ ...network, Containers, IPAM, EnableIPv6: true }));
    },
  });
  const { records } = await runDocker(dockerNetworks, { driver: 'bridge' }, fake);
  assert.equal(records.length, 1);
  const { name, subnets, gateways, containers, ipv6, ipam_driver: driver } = records[0] ?? assert.fail('no network');
  assert.deepEqual(
    { name, subnets, gateways, containers, ipv6, driver },
    {
      ...{ name: 'net2', subnets: ['172.17.0.0/16', 'fd00::/64'], gateways: ['172.17.0.1'], ipv6: true, driver: 'default' },
      containers: ['bare', 'six (fd00::2)', 'web (172.17.0.2)'],
    },
  );
  assert.equal((await runDocker(dockerNetworks, { pattern: 'net[12]' }, fake)).result.count, 2);
});

test('status of a container; its environment is never shown', async () => {
  const document = inspected('running', {
    Created: '2026-11-20T15:00:00.5Z',
    State: {
      Status: 'running',
      Running: true,
      StartedAt: '2026-11-20T15:00:01Z',
      FinishedAt: '0001-01-01T00:00:00Z',
      Health: { Status: 'healthy', FailingStreak: 0 },
    },
    HostConfig: {
      Memory: 1024,
      CpuQuota: 50_000,
      CpuPeriod: 100_000,
      PidsLimit: -1,
      RestartPolicy: { Name: 'always', MaximumRetryCount: 0 },
    },
    NetworkSettings: { Ports: { '80/tcp': null }, Networks: { bridge: { IPAddress: '172.17.0.2' } } },
  });
  await using fake = await fakeEngine({
    'GET /containers/{container}/json': document,
    'GET /containers/{container}/stats': { read: 'now' },
    'GET /containers/{container}/top': { Titles: ['PID', 'CMD'], Processes: [['1', 'sh']] },
  });
  const view = async (name: 'status' | 'inspect' | 'stats' | 'top') =>
    (await runDocker(dockerContainerView, { container: CONTAINER_ID, view: name }, fake)).records[0] ?? {};
  const { uptime, ...status } = await view('status');
  assert.match(String(uptime), /^\d+h\d+m\d+s$|^\d+m\d+s$|^\d+s$/);
  assert.deepEqual(status, {
    ...{
      name: 'web',
      id: '0123456789ab',
      full_id: CONTAINER_ID,
      state: 'running',
      running: true,
      paused: false,
      restarting: false,
    },
    ...{ oom_killed: false, exit_code: 0, pid: 0, restart_count: 0, image: '', created: '2026-11-20T15:00:00Z' },
    ...{ started_at: '2026-11-20T15:00:01Z', health: 'healthy', health_failing_streak: 0, privileged: false },
    restart_policy: { name: 'always', maximum_retry_count: 0 },
    limits: { memory_bytes: 1024, memory_swap_bytes: 0, cpus: 0.5, cpu_shares: 0, pids_limit: 0 },
    ports: ['80/tcp'],
    networks: { bridge: '172.17.0.2' },
  });
  const { Config } = await view('inspect');
  assert.deepEqual(Config, { Tty: false, Env: ['PATH=<redacted>', 'TOKEN=<redacted>', 'BARE'] });
  assert.deepEqual(await view('stats'), { read: 'now' });
  assert.deepEqual(await view('top'), { titles: ['PID', 'CMD'], processes: [{ pid: '1', cmd: 'sh' }] });
  assert.equal(fake.calls.find(({ route }) => route.endsWith('/stats'))?.query['stream'], 'false');
});

test("an image's or volume's own document, asked for by what the engine listed", async () => {
  await using fake = await fakeEngine({ 'GET /images/{image}/json': { Id: IMAGE }, 'GET /volumes/{volume}': { Name: 'data' } });
  assert.deepEqual((await runDocker(dockerImageView, { name: IMAGE }, fake)).records, [{ Id: IMAGE }]);
  assert.deepEqual((await runDocker(dockerVolumeView, { name: 'data' }, fake)).records, [{ Name: 'data' }]);
  await assert.rejects(runDocker(dockerImageView, { name: '../containers/json' }, fake), /not what the engine lists/);
  assert.equal(fake.calls.length, 2);
});
