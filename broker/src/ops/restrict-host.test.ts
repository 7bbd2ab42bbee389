/** Restrictions that must ask the host: which unit a name is, and whose crontab a call is about. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grant } from '@steward/shared/config/types.ts';
import { readAccounts } from '@steward/shared/host/accounts.ts';
import { makeGuard } from '@steward/shared/host/guarding.ts';
import { cronManage } from '@steward/shared/ops/cron/manage.ts';
import { scriptedPrograms } from '@steward/shared/testing/scripted-programs.ts';
import { byCrontab, byCrontabResource } from './restrict-cron.ts';
import { byResourceUnit, byUnit } from './restrict-unit.ts';
import type { RestrictionCall } from '@steward/shared/catalogue/row.ts';

const programs = scriptedPrograms(({ args }) => {
  const name = args.at(-1) ?? '';
  const id = name === 'sshd.service' ? 'ssh.service' : name === 'web.service' ? 'steward-frontend.service' : name;
  return { stdout: `Id=${id}\nLoadState=loaded\n` };
});

/** An operation's own declarations play no part here. */
const base = {
  user: 'ops',
  op: cronManage,
  tool: 'services/manage',
  guard: makeGuard({ trees: [], readOnly: [], pids: [] }),
  account: { account: '' },
  writes: false,
  programs,
  signal: new AbortController().signal,
  engine: () => Promise.reject(new Error('no engine in this test')),
};
const grant = (keys: Partial<Grant> = {}): Grant => ({ allowed: true, line: 3, ...keys });

const decide = async (service: string, action: string, keys: Partial<Grant> = {}) =>
  byUnit.decide({ ...base, args: { service, action }, grant: grant(keys) });

test('a unit is judged and handed on by the name that systemd gives it', async () => {
  const found = await decide('sshd', 'restart', { units: ['x', 'ssh.*'], actions: ['restart'] });
  assert.deepEqual(found, { object: 'ssh.service', rule: 'units: ssh.*', args: { service: 'ssh.service', action: 'restart' } });
  assert.equal((await decide('nginx', 'stop')).rule, 'units: any');
  await assert.rejects(decide('sshd', 'restart', { units: ['sshd.service'] }), {
    message: "not authorized to restart ssh.service: the unit is not in this tool's units: list in grants.yaml",
  });
  await assert.rejects(decide('nginx', 'stop', { actions: ['start'] }), {
    message: "not authorized to stop nginx.service: the action is not in this tool's actions: list in grants.yaml",
  });
});

test('empty lists permit nothing, globs are anchored', async () => {
  await assert.rejects(decide('nginx', 'stop', { units: [] }), { key: 'unit_restricted' });
  await assert.rejects(decide('nginx', 'stop', { actions: [] }), { key: 'action_restricted' });
  await assert.rejects(decide('my-nginx', 'stop', { units: ['nginx*'] }), { key: 'unit_restricted' });
  assert.equal((await decide('app@7', 'stop', { units: ['app@*.service'] })).object, 'app@7.service');
});

test("steward's own units are refused whatever the grant, by name before systemd is asked", async () => {
  const asked = programs.asked.length;
  for (const unit of ['steward-broker.socket', 'steward-frontend', 'steward-broker@1-2-3.service']) {
    await assert.rejects(decide(unit, 'stop'), { key: 'own_unit' }, unit);
  }
  assert.equal(programs.asked.length, asked);
  await assert.rejects(decide('web', 'stop'), { message: "refusing to control steward's own unit: steward-frontend.service" });
  for (const bad of ['-H', '--version', 'a b.service', '*.service', '@.service', 'a'.repeat(257)]) {
    await assert.rejects(decide(bad, 'stop'), { code: 'BAD_ARGS' }, bad);
  }
});

test('a unit that is read is judged by the resource list', async () => {
  const read = async (name: string, units: string[]) =>
    byResourceUnit.decide({ ...base, tool: `service://${name}/status`, args: { name }, grant: grant({ units }) });
  assert.deepEqual((await read('sshd', ['ssh.service'])).args, { name: 'ssh.service' });
  await assert.rejects(read('sshd', ['sshd.service']), {
    message: 'user ops is not authorized to read service://sshd/status as root: resources: in grants.yaml',
  });
});

const GAMES = readAccounts('/').user('games')?.uid ?? assert.fail('this test needs the account games');
const alone: Grant = { allowed: false, line: 0 };
const RULES: Partial<Grant> = {
  users: { mail: { view: true, edit: true }, news: { view: true, edit: false }, root: { view: true, edit: true } },
};

interface Given extends Partial<RestrictionCall> {
  readonly args?: { user?: string; privileged?: boolean };
}
/** What is decided for a user whose account is games; PR unless the arguments say otherwise. */
const cron = async (given: Given) =>
  byCrontab.decide({ ...base, account: { account: 'games' }, grant: grant(RULES), args: {}, ...given });
const other = (user: string, given: Given = {}) => cron({ args: { user, privileged: true }, ...given });

test('the own crontab needs nothing', async () => {
  for (const args of [{}, { user: 'games' }, { user: 'games', privileged: true }]) {
    const found = await cron({ args, grant: alone });
    assert.deepEqual([found.object, found.rule, found.args?.['user']], ['crontab of games', 'own account', 'games']);
  }
  assert.equal((await cron({ args: { privileged: true }, grant: alone, writes: true })).args?.['user'], 'games');
  const uid = { account: { account: 'games', account_uid: GAMES } };
  assert.equal((await cron({ ...uid, grant: alone })).rule, 'own account');
});

test('an account that is not there, has another uid or uid 0 is none', async () => {
  const accounts = [
    { account: '' },
    { account: 'no-such-account' },
    { account: 'games', account_uid: 4711 },
    { account: 'root' },
  ];
  for (const account of accounts) {
    await assert.rejects(cron({ account }), { message: 'user ops has no OS account on this host, so there is no own crontab' });
    await assert.rejects(cron({ account, args: { user: 'games' }, grant: alone }), { key: 'crontab_needs_root' });
  }
});

test("another account's crontab: what must be there, in its order", async () => {
  await assert.rejects(cron({ args: { user: 'mail' } }), {
    message:
      "another account's crontab needs privileged: true and a rule for mail in your cron/manage grant (users: {mail: {view: true}})",
    code: 'RESTRICTED',
  });
  await assert.rejects(other('mail', { grant: alone }), {
    message:
      'user ops is not authorized to run cron/manage on another account: no cron/manage grant with allowed: true in grants.yaml',
  });
  await assert.rejects(other('no-such-account'), { message: 'no account named no-such-account on this host' });
  for (const name of ['-l', '../x', 'a b', '', 'x'.repeat(65)])
    await assert.rejects(other(name), { key: 'account_invalid' }, name);
});

test('rules of other accounts', async () => {
  assert.deepEqual((await other('mail', { writes: true })).rule, 'users: mail');
  assert.deepEqual((await other('news')).args, { user: 'news', privileged: true });
  assert.equal((await other('root')).object, 'crontab of root');
  const refusals = {
    news: "user ops may not edit news's crontab: the cron/manage grant gives news view only",
    bin: "user ops may not edit bin's crontab: no rule for it in the cron/manage grant (users:)",
    root: "root's crontab may be viewed but never edited through steward",
  };
  for (const [user, message] of Object.entries(refusals)) await assert.rejects(other(user, { writes: true }), { message });
  const unseen = { message: "user ops may not view bin's crontab: no rule for it in the cron/manage grant (users:)" };
  await assert.rejects(other('bin'), unseen);
  await assert.rejects(other('bin', { grant: grant() }), unseen);
});

test('a list names accounts with a rule that exist, and the own one', async () => {
  const args = { privileged: true };
  const users = { ...RULES.users, 'no-such-account': { view: true, edit: false }, sys: { view: false, edit: false } };
  assert.deepEqual((await cron({ args, grant: grant({ users }) })).accounts, ['games', 'mail', 'news', 'root']);
  assert.deepEqual((await cron({ args, account: { account: '' }, grant: grant() })).accounts, []);
  await assert.rejects(cron({ args, grant: alone }), {
    message: 'user ops is not authorized to list crontabs: no cron/manage grant with allowed: true in grants.yaml',
  });
});

test('the resource follows the same rules and needs no privileged', async () => {
  const read = async (user: string, given: Given = {}) =>
    byCrontabResource.decide({ ...base, account: { account: 'games' }, grant: grant(RULES), ...given, args: { user } });
  assert.equal((await read('games', { grant: alone })).rule, 'own account');
  assert.equal((await read('news')).rule, 'users: news');
  await assert.rejects(read('bin'), { key: 'crontab_view_restricted' });
  await assert.rejects(read('mail', { grant: alone }), { key: 'crontab_not_granted' });
});
