/** Proves the network resources: what they run and the shape of what they answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_GRANTS } from '@steward/shared/config/types.ts';
import { testContext } from '@steward/shared/testing/context.ts';
import { collect, outcomeOf } from '../testing/outcome.ts';
import { NETWORK_RESOURCES, NETWORK_TEMPLATES } from './network.ts';
import type { Resource, ResourceContext } from './resource.ts';

async function read(resource: Resource | undefined, params: Record<string, string> = {}): Promise<unknown> {
  assert.ok(resource !== undefined);
  const context: ResourceContext = {
    uri: 'x',
    params,
    user: 'u',
    grants: NO_GRANTS,
    // The operations are of no record type, so their context may be of any.
    runLocal: async (op, args) => outcomeOf(await op.run(args, testContext())),
    runRoot: () => Promise.reject(new Error('never as root')),
  };
  const { mimeType, text } = await resource.read(context);
  assert.equal(mimeType, 'application/json');
  return JSON.parse(await collect(text));
}

test('the interfaces of this host, and one of them by its name', async () => {
  const all = (await read(NETWORK_RESOURCES[0])) as { name: string }[];
  assert.ok(all.some(({ name }) => name === 'lo'));
  const fields = ['name', 'index', 'mac', 'mtu', 'flags', 'addresses', 'statistics'];
  const lo = (await read(NETWORK_TEMPLATES[0], { name: 'lo' })) as { name: string };
  assert.deepEqual([lo.name, Object.keys(lo)], ['lo', fields]);
  await assert.rejects(read(NETWORK_TEMPLATES[0], { name: 'lo ' }), { message: 'interface lo  not found' });
});

test('the routes of this host', async () => {
  assert.ok(Array.isArray(await read(NETWORK_RESOURCES[1])));
  assert.deepEqual(
    [...NETWORK_RESOURCES.map(({ uri }) => uri), ...NETWORK_TEMPLATES.map(({ uriTemplate }) => uriTemplate)],
    ['network://interfaces', 'network://routes', 'network://interfaces/{name}'],
  );
});
