/**
 * One id from the access line to the record: whatever a request causes, a reviewer finds it by the id that the client was told
 * and that the frontend logged. Over the whole pair, for each way in which a request can end.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { eventually, startPair, type Pair } from '../support/pair.ts';
import { exchange } from '../support/sse-client.ts';

const GRANTS =
  '  ops:\n    tools:\n      files/read: {allowed: true, paths: [/etc]}\n      daemon/reload-config: {allowed: true}\n';
const MS = 60_000;

let pair: Pair;
before(async () => {
  pair = await startPair({ grants: GRANTS, users: ['ops', 'guest'] });
});
after(() => pair.stop());

/** Ids of the access lines with that beginning: method, path and status. */
const logged = (uri: string, status: number): string[] =>
  pair
    .output()
    .split('\n')
    .filter((line) => line.includes(` uri=${uri} status=${status} `))
    .map((line) => / request=([0-9a-f]{16})$/.exec(line)?.[1] ?? '');

const recorded = (request: string): AuditRecord[] => pair.records().filter((record) => record.request === request);

/** A call in one exchange without a session, as of revision 2026-07-28: the id of its access line and the text of its answer. */
async function call(name: string, args: object, token = pair.token('ops')): Promise<{ id: string; body: string }> {
  const seen = new Set([...logged('/mcp', 200), ...logged('/mcp', 401)]);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'ids', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
    'user-agent': 'ids',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } });
  const reply = await exchange({ url: pair.url, ca: pair.ca, token }, 'POST', '/mcp', headers, body);
  const id = await eventually(() => [...logged('/mcp', 200), ...logged('/mcp', 401)].find((one) => !seen.has(one)), MS);
  return { id, body: reply.body };
}

const kinds = (records: readonly AuditRecord[]): string[] => records.map(({ kind }) => kind);

test('the session that a request opened carries its id', async () => {
  const { id } = await call('files/read', { path: '/etc/passwd', privileged: true });
  assert.deepEqual(kinds(recorded(id)), ['session', 'intent', 'outcome']);
  const [session] = recorded(id);
  assert.deepEqual([session?.user, session?.address, session?.client], ['ops', '127.0.0.1', 'ids']);
});

test('a call that is allowed, refused and fails: access line, records and failure have one id', async () => {
  const allowed = await call('files/read', { path: '/etc/passwd', privileged: true });
  assert.deepEqual(kinds(recorded(allowed.id)), ['intent', 'outcome']);
  const refused = await call('files/read', { path: '/root/x', privileged: true });
  assert.ok(refused.body.includes(`"steward/request":"${refused.id}"`), refused.body);
  assert.deepEqual(kinds(recorded(refused.id)), ['refusal']);
  const failed = await call('files/read', { path: '/etc/no-such-file', privileged: true });
  assert.ok(failed.body.includes(`"steward/request":"${failed.id}"`), failed.body);
  assert.ok(recorded(failed.id).length > 0, 'a failure is on record');
  for (const { code } of recorded(failed.id)) assert.equal(code, 'SYSTEM');
});

test('a token that is not good: its access line and the record have one id', async () => {
  const { id } = await call('files/list', { path: '/etc' }, 'not-a-token');
  const [record, ...more] = await eventually(() => recorded(id).length > 0 && recorded(id), MS);
  assert.deepEqual([record?.kind, record?.code, more], ['session-refused', 'UNAUTHENTICATED', []]);
});

test('a stream: its session carries the id of the stream, and a call that of its message', async () => {
  const client = await pair.connect('guest');
  const opened = pair.records().filter(({ kind, user }) => kind === 'session' && user === 'guest');
  const bad = await client.call('files/read', { path: '/etc/passwd', privileged: true });
  assert.equal(bad.code, 'NOT_GRANTED');
  const request = String(bad.meta['steward/request']);
  await eventually(() => logged('/message', 202).includes(request.split('.')[0] ?? ''), MS);
  assert.deepEqual(kinds(recorded(request)), ['refusal']);
  client.close();
  await client.ended;
  await eventually(() => logged('/sse', 200).some((id) => opened.some((record) => record.request === id)), MS);
});

test('a reload that was called for carries the id of its request', async () => {
  pair.writeGrants(`${GRANTS}# touched\n`);
  const { id } = await call('daemon/reload-config', {});
  assert.deepEqual(kinds(recorded(id)), ['intent', 'reload', 'outcome']);
});

test('there is no record of a request without an id', () => {
  const ofRequests = ['session', 'session-refused', 'intent', 'outcome', 'refusal', 'reload'];
  for (const record of pair.records()) {
    if (ofRequests.includes(record.kind)) assert.match(record.request ?? '', /^[0-9a-f]{16}/, JSON.stringify(record));
  }
});
