/** Proves which commands the operations on services run and what they make of the answers, which were recorded from systemd 252. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failsWith, testContext } from '../../testing/context.ts';
import { scriptedPrograms, type Left } from '../../testing/scripted-programs.ts';
import { serviceStatus } from '../resource/service-status.ts';
import { servicesList, type ServiceRecord } from './list.ts';
import { servicesManage, type UnitAction } from './manage.ts';

const SHOW = 'systemctl --system --no-pager show --property=Id,LoadState,ActiveState,SubState -- ';
const CONTROL = 'systemctl --system --no-pager --no-ask-password ';
const state = (id: string, load = 'loaded'): string => `Id=${id}\nLoadState=${load}\nActiveState=active\nSubState=running\n`;

/** Runs an action; `left` is what systemctl leaves for everything but `show`. */
async function manage(
  action: UnitAction,
  left: Left | ((args: readonly string[]) => Left),
  given: { service?: string; dry_run?: boolean; privileged?: boolean; shown?: string } = {},
) {
  const { service = 'nginx', dry_run, privileged = true, shown = state('nginx.service') } = given;
  const programs = scriptedPrograms(({ args }) => {
    if (args.includes('show')) return { stdout: shown };
    return typeof left === 'function' ? left(args) : left;
  });
  const context = testContext({ programs, privileged });
  const run = servicesManage.run({ service, action, ...(dry_run === undefined ? {} : { dry_run }) }, context);
  const result = await run.catch((error: unknown) => error as Error);
  return { result, lines: programs.lines(), asked: programs.asked, begun: context.begun.count };
}

test('a job with its number', async () => {
  const { result, lines, asked, begun } = await manage('restart', { stderr: 'Enqueued anchor job 365 nginx.service/restart.\n' });
  assert.deepEqual(result, {
    action: 'restart',
    unit: 'nginx.service',
    active_state: 'active',
    sub_state: 'running',
    dry_run: false,
    job: 365,
    status: 'done',
  });
  assert.deepEqual(lines, [`${SHOW}nginx.service`, `${CONTROL}-T restart -- nginx.service`]);
  assert.equal(asked[0]?.utc, true);
  assert.equal(begun, 1);
});

test('systemd before 242 knows no -T, and the action is done once', async () => {
  const { result, lines } = await manage('start', (args) =>
    args.includes('-T') ? { status: 1, stderr: "systemctl: invalid option -- 'T'\n" } : {},
  );
  assert.deepEqual(lines.slice(1), [`${CONTROL}-T start -- nginx.service`, `${CONTROL}start -- nginx.service`]);
  assert.ok(!('job' in (result as object)));
  assert.equal((result as { status?: string }).status, 'done');
});

test('the unit that an alias stands for is the one that is acted on', async () => {
  const { lines } = await manage('stop', {}, { service: 'sshd', shown: state('ssh.service') });
  assert.deepEqual(lines, [`${SHOW}sshd.service`, `${CONTROL}-T stop -- ssh.service`]);
});

test('a job that failed, and one that was not queued', async () => {
  const failed = await manage('start', {
    status: 1,
    stderr: 'Enqueued anchor job 421 a/start.\nJob for a failed because x.\nSee y.\n',
  });
  assert.equal((failed.result as Error).message, 'Job 421 completed with status: failed\nJob for a failed because x.\nSee y.');
  const dependency = await manage('start', {
    status: 1,
    stderr: "A dependency job for a failed. See 'journalctl -xe' for details.\n",
  });
  assert.match((dependency.result as Error).message, /^Job completed with status: dependency\nA dependency job/);
  const words = 'Failed to start nginx.service: Unit nginx.service not found.';
  const refused = await manage('start', { status: 5, stderr: `${words}\n` });
  assert.equal((refused.result as Error).message, `failed to initiate start job: ${words}`);
});

test('enable and disable count links', async () => {
  const stderr =
    'Created symlink /etc/systemd/system/a.service → /etc/systemd/system/b.service.\nCreated symlink /etc/x → /etc/y.\n';
  const enabled = await manage('enable', { stderr });
  assert.deepEqual(enabled.lines.slice(1), [`${CONTROL}--no-reload enable --force -- nginx.service`]);
  assert.deepEqual(
    [(enabled.result as { install?: boolean }).install, (enabled.result as { changes?: number }).changes],
    [true, 2],
  );
  const none = await manage('enable', { stderr: 'The unit files have no installation config (WantedBy=, RequiredBy=, Also=,\n' });
  assert.deepEqual([(none.result as { install?: boolean }).install, (none.result as { changes?: number }).changes], [false, 0]);
  const disabled = await manage('disable', { stderr: 'Removed "/etc/systemd/system/multi-user.target.wants/a.service".\n' });
  assert.deepEqual(disabled.lines.slice(1), [`${CONTROL}--no-reload disable -- nginx.service`]);
  assert.equal((disabled.result as { changes?: number }).changes, 1);
});

test('a refusal because of who asks is marked unless root asked', async () => {
  const left = { status: 4, stderr: 'Failed to start nginx.service: Access denied\nSee system logs.\n' };
  const { result } = await manage('start', left, { privileged: false });
  assert.ok(failsWith('unit_job_refused', { action: 'start', errno: 'EACCES' })(result));
  assert.ok(failsWith('unit_job_refused', { errno: undefined })((await manage('start', left)).result));
  const enable = await manage('enable', { status: 1, stderr: 'Failed to enable unit: Access denied\n' }, { privileged: false });
  assert.equal((enable.result as Error).message, 'failed to enable unit: Failed to enable unit: Access denied');
  assert.ok(failsWith('unit_files', { errno: 'EACCES' })(enable.result));
});

test('a dry run asks for the state and does nothing', async () => {
  const { result, lines, begun } = await manage('restart', {}, { dry_run: true });
  assert.deepEqual([(result as { dry_run?: boolean }).dry_run, lines.length, begun], [true, 1, 0]);
});

test('a dry run fails as systemctl would', async () => {
  const dry = async (action: UnitAction, load: string) =>
    ((await manage(action, {}, { dry_run: true, shown: state('a.service', load) })).result as Error).message;
  assert.equal(
    await dry('start', 'not-found'),
    'failed to initiate start job: Failed to start a.service: Unit a.service not found.',
  );
  assert.equal(
    await dry('stop', 'not-found'),
    'failed to initiate stop job: Failed to stop a.service: Unit a.service not loaded.',
  );
  assert.equal(
    await dry('reload', 'masked'),
    'failed to initiate reload job: Failed to reload a.service: Unit a.service is masked.',
  );
  assert.equal(
    await dry('disable', 'not-found'),
    'failed to disable unit: Failed to disable unit: Unit file a.service does not exist.',
  );
  assert.equal(await dry('stop', 'masked'), undefined);
});

test("steward's own units are refused before and after they are resolved", async () => {
  const direct = await manage('stop', {}, { service: 'steward-broker.socket' });
  assert.ok(failsWith('own_unit')(direct.result));
  assert.deepEqual(direct.lines, []);
  const alias = await manage('stop', {}, { service: 'web', shown: state('steward-frontend.service') });
  assert.ok(failsWith('own_unit', { unit: 'steward-frontend.service' })(alias.result));
  assert.equal(alias.lines.length, 1);
});

test('no systemd', async () => {
  const stderr =
    "System has not been booted with systemd as init system (PID 1). Can't operate.\nFailed to connect to bus: Host is down\n";
  const programs = scriptedPrograms(() => ({ status: 1, stderr }));
  const context = testContext<ServiceRecord>({ programs });
  const message = `failed to reach systemd: ${stderr.trim()}`;
  await assert.rejects(servicesList.run({}, context), { message });
  await assert.rejects(servicesManage.run({ service: 'a', action: 'start' }, testContext({ programs })), { message });
  const missing = testContext<ServiceRecord>({ programs: scriptedPrograms(() => undefined) });
  await assert.rejects(servicesList.run({}, missing), {
    message: 'failed to reach systemd: systemctl is not installed on this host',
  });
});

const LISTED = `Id=s-bad.service
Description=s-bad.service
LoadState=loaded
ActiveState=failed
SubState=failed

Id=cron.service
Description=Regular background program processing daemon
LoadState=loaded
ActiveState=active
SubState=running

Id=gone.service
Description=gone.service
LoadState=not-found
ActiveState=inactive
SubState=dead
`;

async function names(args: Parameters<typeof servicesList.run>[0]): Promise<string[]> {
  const context = testContext<ServiceRecord>({ programs: scriptedPrograms(() => ({ stdout: LISTED })) });
  await servicesList.run(args, context);
  return context.records.map(({ name }) => name);
}

test('services by name, filtered', async () => {
  assert.deepEqual(await names({}), ['cron.service', 'gone.service', 's-bad.service']);
  assert.deepEqual(await names({ pattern: '*o*.service' }), ['cron.service', 'gone.service']);
  assert.deepEqual(await names({ pattern: 'cron' }), []);
  assert.deepEqual(await names({ active_state: 'failed' }), ['s-bad.service']);
  assert.deepEqual(await names({ load_state: 'not-found', sub_state: 'dead' }), ['gone.service']);
  const programs = scriptedPrograms(() => ({}));
  await servicesList.run({}, testContext<ServiceRecord>({ programs }));
  assert.deepEqual(programs.lines(), [
    'systemctl --system --no-pager --all show --property=Id,Description,LoadState,ActiveState,SubState -- *.service',
  ]);
});

test('the status of one unit', async () => {
  const stdout = `${LISTED.split('\n\n')[1] ?? ''}\nFragmentPath=/lib/systemd/system/cron.service\n`;
  const programs = scriptedPrograms(() => ({ stdout }));
  assert.deepEqual(await serviceStatus.run({ name: 'cron' }, testContext({ programs })), {
    name: 'cron.service',
    description: 'Regular background program processing daemon',
    load_state: 'loaded',
    active_state: 'active',
    sub_state: 'running',
    fragment_path: '/lib/systemd/system/cron.service',
  });
  assert.deepEqual(programs.lines(), [
    'systemctl --system --no-pager show --property=Id,Description,LoadState,ActiveState,SubState,FragmentPath -- cron.service',
  ]);
  const gone = testContext({ programs: scriptedPrograms(() => ({ stdout: LISTED.split('\n\n')[2] ?? '' })) });
  await assert.rejects(serviceStatus.run({ name: 'gone' }, gone), { message: 'service not found: gone' });
  await assert.rejects(serviceStatus.run({ name: '--help' }, gone), { message: 'service not found: --help' });
});
