/**
 * Text that would be an option, a command or another path, in every argument of every tool: it is refused, or it stays text. Every
 * program that is run is recorded as the kernel sees it, and every request to the container engine as it arrives.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { CONTAINER_ID, inspected } from '@steward/shared/testing/docker.ts';
import { fakeEngine, frame, type FakeEngine } from '@steward/shared/testing/fake-engine.ts';
import { httpDouble, type HttpDouble } from '@steward/shared/testing/http-server.ts';
import { EVERYTHING } from '../support/engine/fixture.ts';
import { asBoth, callsWith, listedTools, type Call, type ListedTool } from '../support/every-call.ts';
import { execsIn, recording, skipExecs, type Exec } from '../support/execs.ts';
import { goodArguments } from '../support/good-arguments.ts';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import { isDeclared } from '../support/program-lines.ts';
import type { SseClient } from '../support/sse-client.ts';

const skip = isRoot ? skipExecs : 'needs root to run everything on both sides';
/** Calls under way at once. */
const LANES = 6;
const ACCOUNT = 'nobody';

let outer: string;
let directory: string;
let mark: string;
let texts: readonly string[];
let pair: Pair;
let ops: SseClient;
let engine: FakeEngine;
let web: HttpDouble;
let tools: readonly ListedTool[];
/** How many programs had been started before the first call. */
let launched: number;
const victim = spawn('/bin/sleep', ['600'], { stdio: 'ignore' });
/** What crontab(1) says of the account whose crontab is written: some texts are good crontabs. Undefined: it has none. */
const crontab = (): string | undefined => {
  const { status, stdout } = spawnSync('crontab', ['-u', ACCOUNT, '-l'], { encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
};
let crontabBefore: string | undefined;
const pids = (): number[] => [...pair.pids('steward-broker'), ...pair.pids('steward-frontend')].sort();
let started: readonly number[];

before(async () => {
  if (skip !== false) return;
  // Two levels, so that a path that leads out leads to a place of this test.
  outer = mkdtempSync(join(tmpdir(), 'steward-hostile-'));
  directory = join(outer, 'a/b');
  mkdirSync(directory, { recursive: true });
  mark = join(outer, 'mark');
  for (const made of [outer, join(outer, 'a')]) chmodSync(made, 0o755);
  chmodSync(directory, 0o777);
  for (const name of ['file', 'other']) writeFileSync(join(directory, name), 'one\ntwo\n', { mode: 0o666 });
  texts = hostileTexts();
  crontabBefore = crontab();
  engine = await fakeEngine(engineAnswers());
  web = await httpDouble((_request, response) => void response.end('ok'));
  pair = await startPair({
    under: recording(join(outer, 'execs')),
    broker: `  engine_socket: ${engine.socket}\n`,
    grants: EVERYTHING.replace('    tools:\n', `    tools:\n${grantsOnHost()}`),
    daemon: 'limits: {requests_per_second: 1000000, burst: 1000000}\n',
  });
  ops = await pair.connect('ops');
  tools = await listedTools(ops);
  started = pids();
  launched = execsIn(join(outer, 'execs')).length;
});
after(async () => {
  victim.kill('SIGKILL');
  if (skip !== false) return;
  if (crontabBefore === undefined) spawnSync('crontab', ['-u', ACCOUNT, '-r']);
  else spawnSync('crontab', ['-u', ACCOUNT, '-'], { input: crontabBefore });
  await pair?.stop();
  await engine?.[Symbol.asyncDispose]();
  await web?.[Symbol.asyncDispose]();
  rmSync(outer, { recursive: true, force: true });
});

function hostileTexts(): string[] {
  const command = `touch ${mark}`;
  return [
    ...['-x', '--version', `--output=${mark}`, `a $(${command}) \`${command}\` ; ${command} | tee ${mark}`, `a\n${command}\n`],
    ...[
      `' "; ${command} # \\`,
      '*%s%n',
      '../../outside',
      'a/../../../outside',
      'a\0b',
      'x'.repeat(5000),
      'high \ud800 \udc00 low',
    ],
  ];
}

function grantsOnHost(): string {
  const onPaths = ['list', 'read', 'create', 'update', 'find', 'filetype', 'chmod', 'chown'].map((name) => `files/${name}`);
  const plain = ['disks/health', 'processes/list', 'processes/top', 'processes/delete', 'network/connections', 'services/list'];
  const more = ['services/manage', 'timers/list', 'system/packages', 'users/list', 'logs/journal-control', 'logs/dmesg'];
  return [
    ...[...onPaths, 'disks/free', 'disks/usage'].map((tool) => `      ${tool}: {allowed: true, paths: [${directory}]}\n`),
    ...[...plain, ...more, 'logs/logins', 'disks/list', 'disks/mounts'].map((tool) => `      ${tool}: {allowed: true}\n`),
    '      kernel/system-control: {allowed: true, sysctl: {write_keys: [vm.overcommit_ratio]}}\n',
    `      cron/manage: {allowed: true, users: {${ACCOUNT}: {view: true, edit: true}}}\n`,
  ].join('');
}

function engineAnswers(): Parameters<typeof fakeEngine>[0] {
  const id = 'd'.repeat(64);
  return {
    'GET /containers/json': [{ Id: CONTAINER_ID, Names: ['/web'], State: 'running' }],
    'GET /containers/{container}/json': inspected('running'),
    'GET /containers/{container}/logs': (response) => response.end(frame('stdout', 'x\n')),
    'POST /containers/{container}/start': (response) => response.writeHead(304).end(),
    'POST /containers/{container}/exec': { Id: id },
    'POST /exec/{exec}/start': (response) => response.end(),
    'GET /exec/{exec}/json': { Running: false, ExitCode: 0 },
    'GET /images/json': [{ Id: `sha256:${id}`, RepoTags: ['x:1'] }],
    'GET /networks': [],
    'GET /volumes': { Volumes: [] },
    'POST /images/prune': { ImagesDeleted: null, SpaceReclaimed: 0 },
  };
}

/** Makes the calls, so many at once; gives what was wrong with an answer. */
async function makeAll(calls: readonly Call[]): Promise<string[]> {
  const wrong: string[] = [];
  const waiting = [...calls];
  const lane = async (): Promise<void> => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      const { error, result } = await ops.rpc('tools/call', { name: call.tool, arguments: call.args });
      const code = (result?.['_meta'] as Record<string, unknown> | undefined)?.['steward/code'];
      if (error === undefined && code !== 'INTERNAL') continue;
      wrong.push(`${call.tool} ${JSON.stringify(call.args).slice(0, 200)}: ${error?.message ?? 'a defect'}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return wrong;
}

// abuse 49, 110: frontend
test('hostile text in every argument of every tool', { skip }, async (context) => {
  const good = goodArguments({ directory, pid: victim.pid ?? 0, port: web.port });
  const calls = tools.flatMap((tool) => {
    const args = good[tool.name] ?? {};
    return [...asBoth(tool, args), ...callsWith(tool, args, texts, directory)];
  });
  context.diagnostic(`${calls.length} calls of ${tools.length} tools`);
  assert.deepEqual(await makeAll(calls), []);
  assert.deepEqual(pids(), started, 'a process of the pair is another one now');
  assert.deepEqual(
    pair.records().filter(({ kind }) => kind === 'violation'),
    [],
  );
});

test('no text became a command, or a file outside of where it belongs', { skip }, () => {
  assert.equal(existsSync(mark), false);
  assert.deepEqual(readdirSync(outer).sort(), ['a', 'execs']);
  assert.deepEqual(readdirSync(join(outer, 'a')), ['b']);
});

test('programs get it as an operand or as the value of an option, and no environment but the fixed one', { skip }, () => {
  const execs = execsIn(join(outer, 'execs')).slice(launched);
  const foreign = execs.filter(({ file, argv: [, ...args] }) => !isDeclared([basename(file), ...args]));
  assert.deepEqual(foreign.slice(0, 3), []);
  const programs = new Set(execs.map(({ file }) => basename(file)));
  assert.deepEqual(
    ['cp', 'crontab', 'journalctl', 'systemctl'].filter((name) => existsSync(`/usr/bin/${name}`) && !programs.has(name)),
    [],
  );
  const given = new Set(execs.flatMap(({ argv }) => argv));
  for (const literal of ['--unit=--version', `--since=--output=${mark}`, '--until=-x']) assert.ok(given.has(literal), literal);
  const names = new Set(execs.flatMap(({ env }: Exec) => env.map((entry) => entry.slice(0, entry.indexOf('=')))));
  const fixed = ['PATH', 'LANG', 'LC_ALL', 'SYSTEMD_COLORS', 'SYSTEMD_PAGER', 'SYSTEMD_LOG_LEVEL', 'SYSTEMD_LOG_TARGET'];
  assert.deepEqual([...names].sort(), [...fixed, 'SYSTEMCTL_SKIP_SYSV', 'LESSSECURE', 'TZ'].sort());
});

test('requests to the container engine hold no text of a caller in their paths', { skip }, () => {
  const paths = new Set(engine.calls.map(({ url }) => url.split('?')[0]));
  for (const path of paths)
    assert.match(
      path ?? '',
      /^\/v1\.41(\/(containers|images|volumes|networks|exec|json|start|logs|prune|system|df|build|[0-9a-f]{64}))+$/,
    );
  const sent = engine.calls
    .filter(({ route }) => route.endsWith('/exec'))
    .map(({ body }) => (body as { Cmd: string[] }).Cmd.join());
  assert.ok(sent.includes(`--output=${mark}`));
});

test('a command line that is not declared is known as one', () => {
  const show = ['systemctl', '--system', '--no-pager', 'show', '--property=Id,LoadState,ActiveState,SubState', '--'];
  assert.ok(isDeclared([...show, '--version']));
  assert.ok(!isDeclared([...show.slice(0, -1), '--version']));
  assert.ok(!isDeclared(['crontab', '-u', '-r', '-l']));
  assert.ok(!isDeclared(['journalctl', '--version']));
  assert.ok(!isDeclared(['sh', '-c', 'systemctl']));
});
