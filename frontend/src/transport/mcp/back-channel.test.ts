/** The stream that a session of `/mcp` opens by GET: what comes over it, and how a client comes back to it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { startHarness, type Harness } from '../../testing/harness.ts';
import { noticesOf, openMcp } from '../../testing/mcp-client.ts';

let it: Harness;
before(async () => {
  const limits = 'limits: {max_sessions_per_user: 200, max_sessions: 400, requests_per_second: 100000, burst: 100000}\n';
  it = await startHarness({ rest: limits, server: '  sse_keepalive_seconds: 1\n' });
});
after(() => it.stop());

const reload = (): Promise<unknown> => it.broker.reload(it.broker.options.config ?? '');

/** What comes first. */
async function firstText(stream: IncomingMessage): Promise<string> {
  const [piece] = (await once(stream.setEncoding('utf8'), 'data')) as [string];
  return piece;
}

test('wire 084, 108, 109: is one stream, and says when the list of tools may have changed', async () => {
  const session = await openMcp(it.target);
  assert.equal((await session.send('GET', '/mcp', { accept: 'application/json' })).status, 406);
  assert.equal((await session.stream({ 'mcp-session-id': '' })).statusCode, 400);
  const stream = await session.stream({ 'last-event-id': '5' });
  assert.equal(stream.statusCode, 200);
  assert.equal((await session.stream()).statusCode, 409);
  const notices = noticesOf(stream);
  const next = notices.next();
  await reload();
  assert.equal((await next).value?.method, 'notifications/tools/list_changed');
  assert.equal((await session.send('DELETE')).status, 204);
  assert.equal((await notices.next()).done, true);
});

test('one that was closed can be opened again', async () => {
  const session = await openMcp(it.target);
  const first = await session.stream();
  first.destroy();
  let second = await session.stream();
  for (let tries = 0; second.statusCode === 409 && tries < 500; tries += 1) {
    second.destroy();
    await new Promise((done) => setTimeout(done, 20));
    second = await session.stream();
  }
  assert.equal(second.statusCode, 200);
  second.destroy();
});

test('wire 115: begins with an id and no data for clients of 2025-11-25, with nothing for earlier ones', async () => {
  const newer = await (await openMcp(it.target, '2025-11-25')).stream();
  assert.equal(await firstText(newer), 'id: 1\ndata: \n\n');
  newer.destroy();
  for (const version of ['2025-03-26', '2025-06-18']) {
    const older = await (await openMcp(it.target, version)).stream();
    assert.equal(await firstText(older), ': ping\n\n', version);
    older.destroy();
  }
  const session = await openMcp(it.target, '2025-11-25');
  const answer = await session.ask(1, 'ping', undefined, { accept: 'text/event-stream' });
  assert.match(answer.body, /^event: message\n/); // an id would promise that a lost answer can be fetched
});

test('who comes back by the id gets a new stream in the place of the old one', async () => {
  const session = await openMcp(it.target);
  const first = await session.stream();
  const lost = new Promise((done) => first.once('close', done));
  first.on('error', () => undefined).resume();
  const second = await session.stream({ 'last-event-id': '1' });
  assert.deepEqual([second.statusCode, await firstText(second)], [200, 'id: 2\ndata: \n\n']);
  await lost;
  assert.equal((await session.stream({ 'last-event-id': '1' })).statusCode, 409);
  second.destroy();
});

test('a change that nobody could be told of is told when a stream is there again', async () => {
  const session = await openMcp(it.target);
  await reload();
  const notices = noticesOf(await session.stream());
  assert.equal((await notices.next()).value?.method, 'notifications/tools/list_changed');
  await notices.return(undefined);
});
