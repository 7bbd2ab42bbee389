/** Calls over the SSE endpoint while they run: when they are acknowledged, what order holds, what ends them. */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { after, before, mock, test } from 'node:test';
import { http } from '../testing/client.ts';
import { startHarness, type Harness } from '../testing/harness.ts';

let it: Harness;
before(async () => {
  const limits = 'max_sessions_per_user: 50, max_calls_per_session: 16, requests_per_second: 100000, burst: 100000';
  it = await startHarness({ rest: `limits: {${limits}}\n` });
});
after(() => it.stop());

const call = (id: string | number, name = 'memory/usage', args: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

test('wire 060: a request is acknowledged at once, however long it takes', async () => {
  const client = await it.sse();
  const gate = Promise.withResolvers<string>();
  it.deeds.usage = () => gate.promise;
  const { status, body } = await client.post(call('slow'));
  assert.deepEqual([status, body, client.events.length], [202, '', 0]);
  gate.resolve('late');
  assert.equal((await client.answerTo('slow')).result?.content?.[0]?.text, 'late');
  client.close();
});

test('wire 061: the acknowledgement is written before the answer', async () => {
  const client = await it.sse();
  const order: string[] = [];
  const { write } = Socket.prototype as { write: Write };
  mock.method(Socket.prototype, 'write', function (this: Socket, ...args: unknown[]) {
    if (String(args[0]).startsWith('HTTP/1.1 202')) order.push('acknowledgement');
    if (String(args[0]).startsWith('event: message')) order.push('answer');
    return write.apply(this, args);
  });
  try {
    for (let id = 0; id < 20; id += 1) await client.ask(id, 'ping');
  } finally {
    mock.restoreAll();
  }
  assert.deepEqual(order, Array(20).fill(['acknowledgement', 'answer']).flat());
  client.close();
});

type Write = (this: Socket, ...args: unknown[]) => unknown;

test('wire 079: of 64 calls in flight each is answered once, and slow ones hold up no others', async () => {
  const client = await it.sse();
  const gate = Promise.withResolvers<string>();
  it.deeds.usage = () => gate.promise;
  it.deeds.list = ({ path }) => [path];
  const isSlow = (id: number): boolean => id % 8 === 0;
  const ids = Array.from({ length: 64 }, (_, id) => id);
  for (const id of ids) await client.post(isSlow(id) ? call(id) : call(id, 'files/list', { path: `/of-${id}` }));
  const fast = ids.filter((id) => !isSlow(id));
  for (const id of fast) assert.equal((await client.answerTo(id)).result?.content?.[0]?.text, `/of-${id}`);
  assert.equal(client.events.length, fast.length);
  gate.resolve('slow');
  for (const id of ids.filter(isSlow)) assert.equal((await client.answerTo(id)).result?.content?.[0]?.text, 'slow');
  assert.deepEqual(
    client.events
      .flat()
      .map(({ id }) => id)
      .sort((one, other) => Number(one) - Number(other)),
    ids,
  );
  client.close();
});

test('wire 081a: more calls than may wait: 202 and a failure on the stream, and those before them are answered', async () => {
  const client = await it.sse();
  const gate = Promise.withResolvers<string>();
  it.deeds.usage = () => gate.promise;
  const batch = (from: number): object[] => Array.from({ length: 100 }, (_, n) => call(from + n));
  for (let from = 0; from < 1100; from += 100) assert.equal((await client.post(batch(from))).status, 202);
  gate.resolve('done');
  const answers = await client.until(() => (client.events.length === 11 ? client.events.flat() : undefined));
  const refused = answers.filter(({ result }) => result?._meta?.['steward/code'] === 'BUSY');
  assert.equal(refused.length, 1100 - 1024 - 16);
  assert.equal(answers.filter(({ result }) => result?.content?.[0]?.text === 'done').length, 1024 + 16);
  client.close();
});

test('a batch of more calls than may run at once is answered', async () => {
  const client = await it.sse();
  it.deeds.usage = () => 'done';
  await client.post(Array.from({ length: 40 }, (_, id) => call(id)));
  const [answers] = await client.until(() => (client.events.length > 0 ? client.events : undefined));
  assert.ok(Array.isArray(answers));
  assert.equal(answers.filter(({ result }) => result?.content?.[0]?.text === 'done').length, 40);
  client.close();
});

test('wire 084: a reload is no event on this endpoint', async () => {
  const client = await it.sse();
  await it.broker.reload(it.broker.options.config ?? '');
  await client.ask(1, 'ping');
  assert.deepEqual(client.raw.match(/^event: .*$/gm), ['event: endpoint', 'event: message']);
  client.close();
});

test('wire 010: a token that is taken away ends its stream, and the next request is not authorized', async () => {
  const tokens = { alice: { user: 'alice' }, spare: { user: 'alice', token: 'spare' } };
  const own = await startHarness({ tokens });
  const [ended, kept] = [await own.sse('alice'), await own.sse('spare')];
  own.broker.options.tokens = { spare: tokens.spare };
  await own.broker.reload(own.broker.options.config ?? '', [{ user: 'alice', token: 'test' }]);
  await ended.closed;
  assert.equal((await ended.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status, 401);
  assert.equal((await http(own.target, { path: '/sse', headers: { authorization: 'Bearer alice' } })).status, 401);
  assert.deepEqual((await kept.ask(1, 'ping')).result, {});
  await own.stop();
});
