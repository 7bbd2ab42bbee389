/** Proves the template for the counters of one disk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_GRANTS } from '@steward/shared/config/types.ts';
import { testContext, withTree } from '@steward/shared/testing/context.ts';
import { collect, outcomeOf } from '../testing/outcome.ts';
import { DISK_TEMPLATES } from './disks.ts';
import { matchTemplate } from './match.ts';
import type { ResourceContext } from './resource.ts';

const DISKSTATS = '   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0\n';

function read(uri: string): Promise<unknown> {
  return withTree({ 'proc/diskstats': DISKSTATS }, async (root) => {
    const [template] = DISK_TEMPLATES;
    assert.ok(template !== undefined);
    const params = matchTemplate(template.uriTemplate, uri);
    assert.ok(params !== undefined, uri);
    const context: ResourceContext = {
      uri,
      params,
      user: 'u',
      grants: NO_GRANTS,
      runLocal: async (op, args) => {
        // The one operation behind the template, whatever its types are called.
        const local = testContext({ root });
        return outcomeOf(await op.run(args, local), local.records);
      },
      runRoot: () => Promise.reject(new Error('never as root')),
    };
    const { mimeType, text } = await template.read(context);
    assert.equal(mimeType, 'application/json');
    return JSON.parse(await collect(text)) as unknown;
  });
}

test('one object, of any device', async () => {
  const sda = (await read('disks://sda/stats')) as Record<string, unknown>;
  assert.equal(Object.keys(sda).length, 14);
  assert.deepEqual([sda['device_name'], sda['weighted_time_ios_ms']], ['sda', 11]);
  assert.deepEqual(((await read('disks://loop0/stats')) as Record<string, unknown>)['device_name'], 'loop0');
});

test('an unknown device', async () => {
  for (const [uri, device] of [
    ['disks://sdz/stats', 'sdz'],
    ['disks:///stats', ''],
    ['disks://%2e%2e%2fsda/stats', '../sda'],
  ]) {
    const message = `no such block device "${device ?? ''}" (see disks/list for device names)`;
    await assert.rejects(read(uri ?? ''), { message });
  }
});
