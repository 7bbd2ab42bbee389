/** kernel/system-control on the real kernel: granted keys are written and read back, others refused; nothing else changes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import type { SseClient } from '../support/sse-client.ts';

const skip = !isRoot && 'needs root to write kernel parameters';
const KEY = 'net.ipv4.ip_default_ttl';
const FILE = '/proc/sys/net/ipv4/ip_default_ttl';
const held = (): string => readFileSync(FILE, 'utf8').trim();
let pair: Pair;
let ops: SseClient;
let original: string;

before(async () => {
  original = held();
  pair = await startPair({
    grants: `  ops:\n    tools:\n      kernel/system-control: {allowed: true, sysctl: {write_keys: ["net.ipv4.ip_default_*", "kernel.*"]}}\n`,
  });
  ops = await pair.connect('ops');
});
after(async () => {
  if (isRoot && held() !== original) await ops.call('kernel/system-control', { key: KEY, value: original, privileged: true });
  await pair.stop();
});

const write = (key: string, value: unknown, more = {}) =>
  ops.call('kernel/system-control', { key, value, privileged: true, ...more });

test('a granted key is written and the answer is the value then held', { skip }, async () => {
  const other = original === '65' ? 66 : 65;
  const dry = await write(KEY, other, { dry_run: true });
  assert.equal(dry.text, `Dry run: ${KEY} = ${original} -> ${other}`);
  assert.equal(held(), original);
  assert.equal((await write(KEY, other)).text, `${KEY} = ${other}`);
  assert.equal(held(), String(other));
  assert.equal((await write('net/ipv4/ip_default_ttl', original)).text, `${KEY} = ${original}`);
  const outcome = pair.records().filter((record) => record.op === 'kernel/system-control' && record.kind === 'outcome');
  assert.equal(outcome.length, 3);
});

test('what is not granted is refused', async () => {
  const key = 'vm.swappiness';
  assert.equal(
    (await write(key, 1)).text,
    `writing ${key} is not permitted for this user (not in sysctl.write_keys in grants.yaml)`,
  );
  const dangerous = 'kernel.core_pattern';
  assert.equal(
    (await write(dangerous, '|/tmp/x')).text,
    `writing ${dangerous} is not permitted for this user (not in sysctl.write_keys in grants.yaml)`,
  );
  const guest = await pair.connect('guest');
  const refused = await guest.call('kernel/system-control', { key, value: '1', privileged: true });
  assert.equal(
    refused.text,
    `Permission denied: writing ${key} needs privileged: true and a kernel/system-control grant in grants.yaml`,
  );
  const unprivileged = await guest.call('kernel/system-control', { key, value: '1' });
  assert.equal(unprivileged.text, refused.text);
});

test('keys that are no keys', async () => {
  for (const key of ['../vm/x', 'vm.*', 'vm.swappiness\n1', 'vm..x', '']) {
    const answer = await write(key, 1);
    assert.equal(answer.isError, true);
    assert.match(answer.text, /^(invalid key |key argument is required)/, key);
  }
  assert.equal((await write(KEY, 'a\nb')).text, 'invalid value: must be a single line');
});
