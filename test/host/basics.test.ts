/** The pair on a booted host, from outside: who it runs as, what it reads, writes and refuses there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedHost } from '../support/host/suite.ts';
import { output } from '../support/inside/inside.ts';

const host = bootedHost({
  grants: `  ops:\n    tools:\n      files/read: {allowed: true, paths: [/etc]}\n      kernel/system-control: {allowed: true, sysctl: {write_keys: ["kernel.hostname"]}}\n`,
});
const { skip } = host;

test('both processes run inside, the frontend as its account', { skip }, async () => {
  const processes = (await output(host, 'ps', '-eo', 'user:16,args')).split('\n').map((line) => line.replace(/\s+/, ' '));
  const pair = processes.filter((line) => / steward-(frontend|broker)$/.test(line)).sort();
  assert.deepEqual(pair, ['root steward-broker', 'steward steward-frontend']);
});

test('a file of root is read with the grant and not without it', { skip }, async () => {
  const [ops, guest] = [await host.as('ops'), await host.as('guest')];
  const asked = { path: '/etc/shadow', privileged: true };
  const { text, isError } = await ops.call('files/read', asked);
  assert.equal(isError, false, text);
  assert.equal(text, `${await output(host, 'cat', '/etc/shadow')}\n`);
  assert.match((await guest.call('files/read', asked)).text, /^Permission denied: user guest is not authorized/);
});
