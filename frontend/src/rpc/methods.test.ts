/** The methods, over the whole frontend. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { StewardError } from '@steward/shared/errors.ts';
import { startHarness, type Harness } from '../testing/harness.ts';
import type { SseClient } from '../testing/client.ts';

const GRANTS = { tools: { 'files/list': { allowed: true, line: 3 } }, resources: {} };

let it: Harness;
let client: SseClient;
before(async () => {
  const tokens = { alice: { user: 'alice' }, bob: { user: 'bob', grants: GRANTS } };
  it = await startHarness({ tokens, rest: 'limits: {requests_per_second: 100000, burst: 100000}\n' });
  client = await it.sse();
});
after(() => it.stop());

describe('initialize', () => {
  test('wire 048, 050, 051: answers the version of this endpoint whatever is asked for, also twice', async () => {
    for (const protocolVersion of ['2024-11-05', '2025-11-25', '1.0']) {
      const { result } = await client.ask(`i${protocolVersion}`, 'initialize', {
        protocolVersion,
        capabilities: {},
        clientInfo: 7,
      });
      assert.deepEqual(Object.keys(result ?? {}).sort(), ['capabilities', 'protocolVersion', 'serverInfo']);
      assert.equal(result?.['protocolVersion'], '2024-11-05');
      assert.deepEqual(result['capabilities'], { resources: {}, tools: {} });
      const info = result['serverInfo'] as { name: string; version: string };
      assert.equal(info.name, 'steward');
      assert.match(info.version, /^\d+\.\d+\.\d+$/);
    }
  });

  test('wire 049: needs a version that is text', async () => {
    assert.equal((await client.ask('i1', 'initialize')).error?.code, -32602);
    assert.equal((await client.ask('i2', 'initialize', { protocolVersion: 5 })).error?.code, -32602);
  });
});

interface Entry {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: string; readonly properties: Record<string, unknown>; readonly required: string[] };
  readonly [key: string]: unknown;
}

const entriesOf = (answer: { result?: Readonly<Record<string, unknown>> }): Entry[] => answer.result?.['tools'] as Entry[];

describe('tools/list', () => {
  test('wire 047, 085, 086: every entry has what clients need, in a stable order; a cursor is ignored', async () => {
    const first = entriesOf(await client.ask('l1', 'tools/list'));
    const second = entriesOf(await client.ask('l2', 'tools/list', { cursor: 'x' }));
    assert.deepEqual(first, second);
    assert.deepEqual(
      first.map(({ name }) => name),
      ['files/list', 'files/create', 'memory/usage', 'daemon/reload-config'],
    );
    const [list, create, usage] = first;
    assert.deepEqual([list?.['tools_group'], list?.['cli_verb']], ['files', 'list']);
    assert.deepEqual(list?.['annotations'], {
      title: 'List',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
    assert.deepEqual(Object.keys(list.inputSchema.properties), ['path', 'count', 'sort', 'output_format', 'privileged']);
    assert.deepEqual(list.inputSchema.required, ['path']);
    assert.deepEqual(Object.keys(create?.inputSchema.properties ?? {}), [
      'path',
      'content',
      'if_sha256',
      'privileged',
      'dry_run',
    ]);
    assert.deepEqual(usage?.inputSchema.required, []);
  });

  test('a grant is mentioned to the one who has it', async () => {
    const other = await it.sse('bob');
    const [list, create] = entriesOf(await other.ask('l3', 'tools/list'));
    assert.equal(list?.description, 'List. Root is granted to you.');
    assert.equal(create?.description, 'Create.');
  });

  test('names without a slash for endpoints that ask for them', async () => {
    const other = await it.sse('alice', { path: '/sse?names=underscore' });
    const names = entriesOf(await other.ask(1, 'tools/list')).map(({ name }) => name);
    assert.deepEqual(names.slice(0, 2), ['files_list', 'files_create']);
  });
});

describe('resources', () => {
  test('wire 096: lists', async () => {
    const fixed = (await client.ask('r1', 'resources/list')).result?.['resources'] as object[];
    assert.deepEqual(fixed[0], {
      uri: 'test://resource',
      name: 'Test',
      description: 'Test.',
      mimeType: 'text/plain',
      tools_group: 'test',
      cli_verb: 'get',
    });
    const templates = (await client.ask('r2', 'resources/templates/list')).result?.['resourceTemplates'] as {
      uriTemplate: string;
    }[];
    assert.deepEqual(
      templates.map(({ uriTemplate }) => uriTemplate),
      ['test:///{path}/{view}'],
    );
  });

  test('wire 095: a read has one content with the uri as it was written', async () => {
    it.deeds.read = ({ user, uri }) => `${user} ${uri}`;
    const { result } = await client.ask('r3', 'resources/read', { uri: 'test://resource' });
    assert.deepEqual(result, {
      contents: [{ uri: 'test://resource', mimeType: 'text/plain', text: 'alice test://resource' }],
    });
    it.deeds.read = () => '';
    const empty = await client.ask('r8', 'resources/read', { uri: 'test://resource' });
    assert.equal((empty.result?.['contents'] as object[]).length, 1);
  });

  test('wire 093: unknown, bad and missing uris', async () => {
    const codes = {
      'test://nothing': -32002,
      'no uri': -32602,
      'test:///%': -32602,
      'test:///%00': -32602,
      'test:///%ff': -32602,
    };
    for (const [uri, code] of Object.entries(codes)) {
      const { error } = await client.ask(uri, 'resources/read', { uri });
      assert.equal(error?.code, code, uri);
      if (code === -32002) assert.equal(error?.message, 'unknown resource: test://nothing');
    }
    assert.equal((await client.ask('r4', 'resources/read')).error?.code, -32602);
    assert.equal((await client.ask('r5', 'resources/read', { uri: 5 })).error?.code, -32602);
  });

  test('wire 091, 094: a read that fails is -32603 with the reason; a defect says nothing of itself', async () => {
    it.deeds.read = () => Promise.reject(new StewardError('open_file', { path: '/x', reason: 'permission denied' }));
    const { error } = await client.ask('r6', 'resources/read', { uri: 'test://resource' });
    assert.deepEqual([error?.code, error?.message], [-32603, 'failed to open file: /x: permission denied']);
    assert.equal((error?.data as Record<string, unknown>)['steward/code'], 'SYSTEM');
    it.deeds.read = () => Promise.reject(new Error('secret /etc/steward'));
    const defect = await client.ask('r7', 'resources/read', { uri: 'test://resource' });
    assert.match(defect.error?.message ?? '', /^internal error \(request [0-9a-f]{16}\)$/);
    assert.ok(it.log.some((line) => line.includes('secret /etc/steward')));
  });
});
