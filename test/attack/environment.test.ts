/**
 * The environment of a process holds secrets. Marked values in that of the pair and of other processes appear in no answer, however
 * it is asked for: every tool in every form, every resource, and every way to the files where the kernel shows it.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { httpDouble, type HttpDouble } from '@steward/shared/testing/http-server.ts';
import { asBoth, listedTools, type Call } from '../support/every-call.ts';
import { goodArguments } from '../support/good-arguments.ts';
import { eventually, frontendAccount, isRoot, startPair, type Pair } from '../support/pair.ts';
import type { RpcMessage, SseClient } from '../support/sse-client.ts';

const skip = !isRoot && 'needs root, which may read every environment';
const MARK = 'environment-of-a-process-0f3a';
const FORMS = ['text', 'json', 'wide'];
/** Most that files/read gives of one file. */
const MUCH = 1_000_000;

let directory: string;
let pair: Pair;
let ops: SseClient;
let web: HttpDouble;
const victims: ChildProcess[] = [];

/** A process with the mark in its environment, of root or of the frontend's account, which could read it. */
async function victim(account?: string): Promise<void> {
  const as = account === undefined ? [] : ['setpriv', `--reuid=${account}`, '--clear-groups'];
  const [program, ...args] = [...as, '/bin/sleep', '900'];
  const child = spawn(program, args, { stdio: 'ignore', env: { SECRET: MARK } });
  victims.push(child);
  await eventually(() => readFileSync(`/proc/${child.pid}/cmdline`, 'latin1').startsWith('/bin/sleep'));
  assert.match(readFileSync(`/proc/${child.pid}/environ`, 'latin1'), new RegExp(MARK));
}

before(async () => {
  if (skip !== false) return;
  directory = mkdtempSync(join(tmpdir(), 'steward-environment-'));
  chmodSync(directory, 0o777);
  for (const name of ['file', 'other']) writeFileSync(join(directory, name), 'one\ntwo\n', { mode: 0o666 });
  web = await httpDouble((_request, response) => void response.end('ok'));
  await victim();
  await victim(frontendAccount());
  process.env['STEWARD_TEST_SECRET'] = MARK; // what the launcher is started with
  pair = await startPair({ grants: grants(), daemon: 'limits: {requests_per_second: 1000000, burst: 1000000}\n' });
  delete process.env['STEWARD_TEST_SECRET'];
  ops = await pair.connect('ops');
  assert.match(readFileSync(`/proc/${pair.launcher.pid}/environ`, 'latin1'), new RegExp(MARK));
});
after(async () => {
  for (const child of victims) child.kill('SIGKILL');
  await pair?.stop();
  await web?.[Symbol.asyncDispose]();
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
});

/** As much as can be granted. */
function grants(): string {
  const onPaths = ['list', 'read', 'find', 'filetype', 'create', 'update', 'chmod', 'chown'].map((name) => `files/${name}`);
  const plain = ['processes/list', 'processes/top', 'processes/delete', 'network/connections', 'services/list', 'timers/list'];
  const logs = [
    'logs/journal-control',
    'logs/dmesg',
    'logs/logins',
    'system/packages',
    'users/list',
    'disks/list',
    'disks/mounts',
  ];
  return [
    '  ops:\n    tools:\n',
    ...[...onPaths, 'disks/free', 'disks/usage'].map((tool) => `      ${tool}: {allowed: true, paths: [/]}\n`),
    ...[...plain, ...logs, 'services/manage'].map((tool) => `      ${tool}: {allowed: true}\n`),
    '      kernel/system-control: {allowed: true, sysctl: {write_keys: []}}\n',
    '    resources:\n      "file://": [/]\n      "process://": ["*"]\n      "devices://dmi": ["*"]\n',
  ].join('');
}

const pids = (): number[] =>
  [...victims, pair.launcher]
    .map(({ pid = 0 }) => pid)
    .concat(process.pid, pair.pids('steward-broker'), pair.pids('steward-frontend'));

/** Whether it succeeded. */
function judged(what: string, answer: RpcMessage): boolean {
  assert.ok(!JSON.stringify(answer).includes(MARK), `${what}: ${JSON.stringify(answer).slice(0, 300)}`);
  return answer.error === undefined && answer.result?.['isError'] !== true;
}

const call = async ({ tool, args }: Call): Promise<boolean> =>
  judged(`${tool} ${JSON.stringify(args)}`, await ops.rpc('tools/call', { name: tool, arguments: args }));
const read = async (uri: string): Promise<boolean> => judged(uri, await ops.rpc('resources/read', { uri }));

test('every tool in every form, unprivileged and as root', { skip }, async (context) => {
  const good = goodArguments({ directory, pid: victims[0]?.pid ?? 0, port: web.port });
  const seen = new Set<string>();
  for (const tool of await listedTools(ops)) {
    const forms = 'output_format' in tool.inputSchema.properties ? FORMS : ['text'];
    for (const output_format of forms) {
      for (const one of asBoth(tool, { ...good[tool.name], output_format })) if (await call(one)) seen.add(tool.name);
    }
  }
  for (const tool of ['processes/list', 'processes/top', 'files/read']) assert.ok(seen.has(tool), tool);
  context.diagnostic(`${seen.size} tools had an answer`);
});

test('every resource, and every target of a process', { skip }, async () => {
  const { result } = await ops.rpc('resources/list');
  const fixed = (result?.['resources'] as { uri: string }[]).map(({ uri }) => uri);
  assert.equal(fixed.length, 11);
  for (const uri of fixed) await read(uri);
  for (const pid of pids()) {
    for (const target of ['status', 'cmdline', 'limits', 'open_files']) await read(`process://${pid}/${target}`);
    for (const target of ['environ', 'mem', '../environ', '%2e%2e/environ']) {
      assert.equal(await read(`process://${pid}/${target}`), false, target);
    }
  }
});

test('every way to the files where the kernel shows it', { skip }, async () => {
  const places = [
    'self',
    'thread-self',
    ...pids().flatMap((pid) => [String(pid), `${pid}/task/${pid}`, `self/../${pid}`, `self/root/proc/${pid}`]),
  ];
  for (const place of places) {
    for (const path of [`/proc/${place}/environ`, `/proc/${place}/mem`]) {
      for (const privileged of [false, true]) {
        assert.equal(await call({ tool: 'files/read', args: { path, limit: MUCH, privileged } }), false, path);
      }
      assert.equal(await read(`file://${path}`), false, path);
    }
    await call({ tool: 'files/read', args: { path: `/proc/${place}/cmdline`, privileged: true } });
    await call({ tool: 'files/find', args: { path: `/proc/${place}`, max_depth: 1, privileged: true } });
  }
  assert.equal(await call({ tool: 'files/read', args: { path: '/proc/self/status' } }), true);
});

test('what the pair prints and records', { skip }, () => {
  assert.doesNotMatch(pair.output(), new RegExp(MARK));
  assert.doesNotMatch(JSON.stringify(pair.records()), new RegExp(MARK));
});
