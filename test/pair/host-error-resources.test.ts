/** Texts with which the resources on disks, processes, network, crontabs and containers refuse, as clients see them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { frontendAccount, isRoot, startPair, type Pair } from '../support/pair.ts';
import type { SseClient } from '../support/sse-client.ts';

/** No number of a process: pid_max is at most 2^22. */
const NOBODY = 4_194_305;
const sleeper = spawn('/bin/sleep', ['900'], { stdio: 'ignore' });

let pair: Pair;
let ops: SseClient;

before(async () => {
  pair = await startPair({ grants: '  ops:\n    tools:\n      cron/manage: {allowed: true, users: {nobody: {view: true}}}\n' });
  ops = await pair.connect('ops');
});
after(async () => {
  sleeper.kill('SIGKILL');
  await pair.stop();
});

const RESOURCES: readonly (readonly [uri: string, message: string, code?: number])[] = [
  ['network://interfaces/nope0', 'interface nope0 not found'],
  ['disks://sdzz/stats', 'no such block device "sdzz" (see disks/list for device names)'],
  ['process://x/status', 'invalid PID: x'],
  ['process://1', 'invalid process URI format, expected process://{pid}/{target}'],
  ['process://1/environ', 'unsupported target: environ'],
  [`process://${NOBODY}/status`, `no such process: ${NOBODY}`],
  ['crontab://nobody/lines', 'unsupported view "lines": use crontab://<user>/text or crontab://<user>/info'],
  ['crontab://daemon/info', "user ops may not view daemon's crontab: no rule for it in the cron/manage grant (users:)"],
  [
    'docker-container://web/status',
    'user ops is not authorized to read docker-container://web/status: add it under resources: docker-container:// in grants.yaml',
  ],
  ['devices://fan', 'unknown resource: devices://fan', -32002],
  ['network://interfacesX', 'unknown resource: network://interfacesX', -32002],
];

for (const [uri, message, code = -32603] of RESOURCES) {
  test(uri, async () => {
    const { error } = await ops.rpc('resources/read', { uri });
    assert.deepEqual([error?.message, error?.code], [message, code]);
  });
}

test('limits of processes that the frontend may not see', { skip: !isRoot && 'needs root' }, async () => {
  const uri = `process://${sleeper.pid}/open_files`;
  const { error } = await ops.rpc('resources/read', { uri });
  const suffix = ` (user ops is not authorized to read ${uri} as root: resources: in grants.yaml)`;
  assert.equal(error?.message, `failed to read open_files: permission denied${suffix}`);
  assert.notEqual(frontendAccount(), 'root');
});
