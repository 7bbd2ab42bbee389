/**
 * What the launcher hands to whom, and what it does when its children die or will not end.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMART_CAPABILITIES } from '@steward/shared/catalogue/row.ts';
import { BROKER_CAPABILITIES } from '@steward/shared/generated/table.ts';
import { DIST, isRoot } from '../support/pair.ts';
import { BROKER, FRONTEND, PRELUDE, StandInPair } from '../support/launcher/stand-in.ts';

const NOBODY = 65534;
/** All that either process has in its environment, but for what the broker is told of its peer. */
const MEMORY = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };
const onlyRoot = isRoot ? {} : { skip: 'needs root' };
/** How many capabilities a set of /proc/<pid>/status holds. */
const bitsIn = (set: unknown): number => Number.parseInt(String(set), 16).toString(2).replaceAll('0', '').length;
const isAlive = (pid: number): boolean =>
  existsSync(`/proc/${pid}/exe`) && statSync(`/proc/${pid}`, { throwIfNoEntry: false }) !== undefined;

test('as root the frontend has its account and no right at all', onlyRoot, async () => {
  await using pair = new StandInPair({ extra: ['--account', 'nobody', '--listen', '127.0.0.1:1', '--listen', '[::1]:1'] });
  const frontend = await pair.heard('frontend');
  assert.equal(frontend['uid'], NOBODY);
  assert.equal(frontend['gid'], NOBODY);
  assert.equal(frontend['groups'], '');
  assert.equal(Number.parseInt(String(frontend['capEff']), 16), 0);
  assert.equal(Number.parseInt(String(frontend['capBnd']), 16), 0);
  assert.equal(frontend['noNewPrivs'], '1');
  assert.equal(frontend['cwd'], '/');
  assert.deepEqual(frontend['env'], MEMORY);
  assert.deepEqual(frontend['argv'], [
    ...['--socket', '/proc/self/fd/3/broker.sock', '--worker', '/proc/self/fd/6', '--exit-with-stdin'],
    ...['--listen', '127.0.0.1:1', '--listen', '[::1]:1'],
  ]);
  assert.ok((frontend['flags'] as string[]).includes('--jitless'));
});

test('as root the broker has the capabilities of the table and no other', onlyRoot, async () => {
  await using pair = new StandInPair({ extra: ['--account', 'nobody'] });
  const broker = await pair.heard('broker');
  assert.equal(broker['uid'], 0);
  assert.equal(broker['capEff'], broker['capBnd']);
  assert.equal(bitsIn(broker['capBnd']), BROKER_CAPABILITIES.length - SMART_CAPABILITIES.length);
  assert.equal(broker['noNewPrivs'], '1');
  assert.deepEqual(broker['env'], { ...MEMORY, STEWARD_PEER: `launcher-${NOBODY}` });
  assert.match(String(broker['input']), /^socket:/);
  assert.ok((broker['flags'] as string[]).includes('--frozen-intrinsics'));
  assert.match(String((await pair.heard('heard'))['text']), new RegExp(`hello from ${broker.pid}`));
});

test('what SMART needs is given only when it is asked for', onlyRoot, async () => {
  await using pair = new StandInPair({ extra: ['--account', 'nobody', '--smart'] });
  assert.equal(bitsIn((await pair.heard('broker'))['capBnd']), BROKER_CAPABILITIES.length);
});

test('an ordinary user runs both as itself and is told what that means', onlyRoot, async () => {
  await using pair = new StandInPair({ asUid: NOBODY });
  assert.equal((await pair.heard('frontend'))['uid'], NOBODY);
  assert.equal((await pair.heard('broker'))['uid'], NOBODY);
  assert.equal(
    pair.errors,
    `launcher: both processes run as uid ${NOBODY}: privileged operations have only that user's rights\n`,
  );
});

test('what the launcher itself inherited is not handed on', async () => {
  const list =
    "say('open', { links: readdirSync('/proc/self/fd').flatMap((fd) => { try { return [readlinkSync('/proc/self/fd/' + fd)]; } catch { return []; } }) });";
  await using pair = new StandInPair({ frontend: FRONTEND + list, broker: BROKER + list, inherit: '/etc/hostname' });
  for (const count of [1, 2])
    assert.equal(((await pair.heard('open', count))['links'] as string[]).includes('/etc/hostname'), false);
});

test('the way to the socket is the descriptor alone', onlyRoot, async () => {
  const frontend = `${FRONTEND}
const tried = (path) => { try { return readdirSync(path).length; } catch (error) { return error.code; } };
say('tried', { list: tried('/proc/self/fd/3'), above: tried('/proc/self/fd/3/..'), state: tried('/proc/self/fd/3/../..') });`;
  await using pair = new StandInPair({ extra: ['--account', 'nobody'], frontend });
  const tried = await pair.heard('tried');
  assert.deepEqual([tried['list'], tried['above'], tried['state']], ['EACCES', 'EACCES', 'EACCES']);
  const outer = join(pair.directory, 'state', readdirSync(join(pair.directory, 'state'))[0] ?? '');
  assert.equal(statSync(outer).mode & 0o777, 0o700);
  assert.equal(statSync(outer).uid, 0);
});

test('a killed broker is replaced, and so is a killed frontend', async () => {
  await using pair = new StandInPair({});
  const first = await pair.heard('broker');
  process.kill(first.pid, 'SIGKILL');
  const second = await pair.heard('broker', 2);
  process.kill((await pair.heard('frontend')).pid, 'SIGKILL');
  const frontend = await pair.heard('frontend', 2);
  await pair.heard('broker', 3);
  assert.equal(isAlive(second.pid), false);
  assert.equal(isAlive(frontend.pid), true);
});

// abuse 33: broker
test('there is one broker at a time; one further connection waits, a third is closed', async () => {
  const frontend = `${PRELUDE}
const socket = process.argv[process.argv.indexOf('--socket') + 1];
const open = (name) => connect(socket).on('data', () => say('served', { name })).on('close', () => say('closed', { name })).on('error', () => {});
const first = open('first');
first.once('data', () => { open('second'); setTimeout(() => { open('third').once('close', () => first.destroy()); }, 100); });
process.on('SIGTERM', () => process.exit(0));`;
  await using pair = new StandInPair({ frontend });
  await pair.heard('served', 2);
  assert.deepEqual(
    pair.said('served').map((said) => said['name']),
    ['first', 'second'],
  );
  assert.equal(pair.said('closed')[0]?.['name'], 'third');
  assert.equal(isAlive(pair.said('broker')[0]?.pid ?? 0), false);
});

test('SIGTERM and SIGINT end both and leave nothing behind', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    await using pair = new StandInPair({});
    const broker = await pair.heard('broker');
    pair.process.kill(signal);
    assert.equal(await pair.exited, 0);
    assert.equal(isAlive(broker.pid), false);
    assert.equal(isAlive((await pair.heard('frontend')).pid), false);
    assert.deepEqual(readdirSync(join(pair.directory, 'state')), []);
  }
});

test('children that will not end are killed within five seconds', async () => {
  const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
  await using pair = new StandInPair({
    frontend: `${FRONTEND.replace('process.exit(0)', '{}')}\n${stubborn}`,
    broker: BROKER.replace('process.exit(0)', '{}') + stubborn,
  });
  const broker = await pair.heard('broker');
  const began = performance.now();
  pair.process.kill('SIGTERM');
  assert.equal(await pair.exited, 0);
  assert.ok(performance.now() - began < 5000);
  assert.equal(isAlive(broker.pid), false);
});

test('SIGHUP is passed on to the frontend', async () => {
  await using pair = new StandInPair({});
  await pair.heard('heard');
  pair.process.kill('SIGHUP');
  assert.equal((await pair.heard('hup')).pid, (await pair.heard('frontend')).pid);
});

test('SIGHUP does not end a frontend that has no handler for it yet', async () => {
  // It gets its handler when the broker has greeted it.
  const handler = "process.on('SIGHUP', () => say('hup'))";
  const late = FRONTEND.replace(`${handler};`, '').replace('{ text:', `{ listens: ${handler} !== undefined, text:`);
  const broker = BROKER.replace('connection.write', "process.on('SIGUSR2', () => connection.write").replace(
    'process.pid);',
    'process.pid));',
  );
  await using pair = new StandInPair({ frontend: late, broker });
  const { pid } = await pair.heard('frontend');
  const greeter = await pair.heard('broker');
  pair.process.kill('SIGHUP');
  await sleep(200); // long enough for the launcher to have taken it; shorter would only prove less
  process.kill(greeter.pid, 'SIGUSR2');
  await pair.heard('heard');
  pair.process.kill('SIGHUP');
  assert.equal((await pair.heard('hup')).pid, pid);
});

test('neither survives a killed launcher', async () => {
  await using pair = new StandInPair({});
  const pids = [(await pair.heard('broker')).pid, (await pair.heard('frontend')).pid];
  pair.process.kill('SIGKILL');
  await pair.exited;
  for (let tries = 0; tries < 100 && pids.some(isAlive); tries += 1) await sleep(20);
  assert.deepEqual(pids.filter(isAlive), []);
});

test('a frontend that dies again and again is given up', async () => {
  await using pair = new StandInPair({ frontend: `${PRELUDE}say('frontend'); process.exit(3);` });
  assert.equal(await pair.exited, 3);
  assert.equal(pair.said('frontend').length, 5);
});

test('what no second start would mend ends the launcher with the same status', async () => {
  const cases = [
    [{ frontend: 'process.exit(1)' }, 1],
    [{ frontend: 'process.exit(2)' }, 2],
    [{ broker: 'process.exit(1)' }, 1],
    [{ broker: 'process.exit(2)' }, 2],
    [{ broker: 'process.exit(77)' }, 77],
    [{ certs: 'process.exit(2)' }, 2],
  ] as const;
  for (const [scripts, status] of cases) {
    await using pair = new StandInPair(scripts);
    assert.equal(await pair.exited, status);
  }
});

test('a command line that cannot be followed is answered with one line and status 2', () => {
  const lines = [
    [],
    ['--config-dir', '/'],
    ['--config-dir', '/nowhere', '--state-dir', '/tmp'],
    ['--config-dir', '/', '--state-dir', '/tmp', '--dist', '/'],
    ['--config-dir', '/', '--state-dir', '/tmp', '--listen', 'here'],
    ['--config-dir', '/', '--state-dir', '/tmp', '--bogus'],
    ...(isRoot ? [['--config-dir', '/', '--state-dir', '/tmp', '--account', 'root']] : []),
    ...(isRoot ? [['--config-dir', '/', '--state-dir', '/tmp', '--account', 'no-such-account']] : []),
  ];
  for (const args of lines) {
    const { status, stderr } = spawnSync(process.execPath, [join(DIST, 'launcher.js'), ...args], { encoding: 'utf8' });
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, /^launcher: [^\n]+\n$/, args.join(' '));
  }
});
