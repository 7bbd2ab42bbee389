/** Many calls at once: every answer exactly once, on its own stream, with its own id. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPair, type Pair } from '../support/pair.ts';

let pair: Pair;
const STREAMS = 64;

before(async () => {
  pair = await startPair({
    grants: '  ops:\n    tools:\n      files/read: {allowed: true, paths: [/etc]}\n',
    daemon: `limits: {requests_per_second: 100000, burst: 100000, max_sessions_per_user: ${STREAMS + 8}}\n`,
  });
});
after(() => pair.stop());

test('100 parallel calls over one stream, privileged and not', async () => {
  const client = await pair.connect('ops');
  const calls = Array.from({ length: 100 }, (_, index) =>
    index % 2 === 0
      ? client.call('files/read', { path: '/etc/passwd', limit: index + 1, privileged: index % 4 === 0 })
      : client.call('cpu/load-average'),
  );
  const answers = await Promise.all(calls);
  answers.forEach((answer, index) => {
    assert.equal(answer.isError, false, answer.text);
    if (index % 2 === 0) assert.equal(answer.text.length, index + 1);
    else assert.match(answer.text, /^Load Average: /);
  });
  const ids = client.messages.map((message) => message.id);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(ids.length, 100);
});

test('64 streams with equal ids', async () => {
  const clients = await Promise.all(Array.from({ length: STREAMS }, () => pair.connect('ops')));
  const endpoints = new Set(clients.map((client) => client.endpoint));
  assert.equal(endpoints.size, STREAMS);
  await Promise.all(
    clients.map(async (client, index) => {
      const limit = index + 1;
      const answer = await client.rpc('tools/call', { name: 'files/read', arguments: { path: '/etc/passwd', limit } }, 'same');
      const content = answer.result?.['content'] as { text: string }[];
      assert.equal(content[0]?.text.length, limit);
      assert.equal(client.messages.length, 1);
      assert.equal(client.messages[0]?.id, 'same');
      client.close();
    }),
  );
});
