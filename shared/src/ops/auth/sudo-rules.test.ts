/** Proves that every key is present and that a narrowing list that is left out does not look empty. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_GRANTS, type UserGrants } from '../../config/types.ts';
import { failsWith, testBroker, testContext } from '../../testing/context.ts';
import { authSudoRules } from './sudo-rules.ts';

function rules(grants: UserGrants) {
  return authSudoRules.run({}, testContext({ broker: testBroker({ grants: () => grants }) }));
}

test('nothing granted', async () => {
  assert.deepEqual(await rules(NO_GRANTS), {});
});

test('only the broker can answer', async () => {
  await assert.rejects(authSudoRules.run({}, testContext()), failsWith('broker_unavailable'));
});

test('every key is present', async () => {
  const seen = await rules({
    tools: { 'files/read': { allowed: true, paths: ['/var/log'], line: 3 } },
    resources: { 'file://': ['/var/log'] },
  });
  assert.deepEqual(seen, {
    Tools: {
      'files/read': {
        Allowed: true,
        Paths: ['/var/log'],
        Containers: [],
        Prune: [],
        Units: [],
        Actions: [],
        Signals: [],
        Owners: [],
        Devices: [],
        Setid: false,
        Commands: [],
        Users: {},
        Network: null,
        Sysctl: null,
      },
    },
    Resources: { 'file://': ['/var/log'] },
  });
});

test('lists that narrow show what their absence and their emptiness mean', async () => {
  const { Tools } = await rules({
    tools: {
      'services/manage': { allowed: true, actions: [], line: 1 },
      'processes/delete': { allowed: true, signals: ['TERM'], line: 2 },
      'docker/exec': { allowed: true, containers: ['web-*'], line: 3 },
      'disks/health': { allowed: true, line: 4 },
    },
    resources: {},
  });
  assert.deepEqual([Tools?.['services/manage']?.Units, Tools?.['services/manage']?.Actions], [['*'], []]);
  assert.deepEqual([Tools?.['processes/delete']?.Signals, Tools?.['processes/delete']?.Owners], [['TERM'], ['*']]);
  assert.deepEqual([Tools?.['docker/exec']?.Commands, Tools?.['docker/exec']?.Containers], [[[]], ['web-*']]);
  assert.deepEqual(Tools?.['disks/health']?.Devices, ['*']);
});

test('structured restrictions', async () => {
  const { Tools } = await rules({
    tools: {
      'network/curl': { allowed: false, network: { deny_private: true, deny: ['10.0.0.0/8'] }, line: 1 },
      'network/ping': { allowed: false, network: { deny_private: false, allow: [], deny: [] }, line: 1 },
      'kernel/system-control': { allowed: true, sysctl: { write_keys: ['vm.*'] }, line: 2 },
      'cron/manage': { allowed: true, users: { root: { view: true, edit: false } }, line: 3 },
    },
    resources: {},
  });
  assert.deepEqual(Tools?.['network/curl']?.Network, { DenyPrivate: true, Allow: null, Deny: ['10.0.0.0/8'] });
  assert.deepEqual(Tools['network/ping']?.Network, { DenyPrivate: false, Allow: [], Deny: [] });
  assert.deepEqual(Tools['kernel/system-control']?.Sysctl, { WriteKeys: ['vm.*'] });
  assert.deepEqual(Tools['cron/manage']?.Users, { root: { View: true, Edit: false } });
});
