/**
 * Who has no good token, or one that is used from everywhere, takes nothing away from the others: not behind the same address, and
 * not by taking all the room there is.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:https';
import { after, before, test } from 'node:test';
import { startPair, type Pair } from '../support/pair.ts';

let pair: Pair;
const agent = new Agent({ keepAlive: true, maxSockets: 100 });

before(async () => {
  pair = await startPair({ users: ['ops', 'guest', 'other'] });
});
after(async () => {
  agent.destroy();
  await pair.stop();
});

/** Status of a request that needs no more than a good token: 404, because there is no such session. */
function ask(token: string, options: { from?: string; agent?: Agent } = {}): Promise<number> {
  return new Promise((done, fail) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const { from: localAddress = '127.0.0.1' } = options;
    const settings = { method: 'POST', ca: pair.ca, localAddress, headers, agent: options.agent ?? false };
    const outgoing = request(`${pair.url}/message?session_id=none`, settings, (reply) => {
      reply.resume().once('end', () => done(reply.statusCode ?? 0));
    });
    outgoing.once('error', fail).end('{}');
  });
}

// abuse 40: frontend
test('somebody who tries tokens behind the same address does not lock out whoever has one', async (context) => {
  let tries = 0;
  let over = false;
  const refused = new Set<number>();
  const lane = async (): Promise<void> => {
    while (!over) {
      refused.add(await ask(randomBytes(32).toString('hex'), { agent }));
      tries += 1;
    }
  };
  const lanes = Promise.all(Array.from({ length: 100 }, lane));
  while (tries < 150) await Promise.race([lanes, new Promise((done) => setTimeout(done, 20))]); // lanes end early only by failing
  const statuses = [];
  for (const user of ['ops', 'guest', 'other']) statuses.push(await ask(pair.token(user)));
  over = true;
  await lanes;
  assert.deepEqual(statuses, [404, 404, 404]);
  assert.deepEqual([...refused], [401]);
  context.diagnostic(`${tries} wrong tokens`);
  const recorded = pair.records().filter(({ kind }) => kind === 'session-refused');
  assert.ok(recorded.length >= 10 && recorded.length < 30, `${recorded.length} records`);
});

test('a token that is used from hundreds of addresses leaves room for others', async () => {
  for (let block = 0; block < 300; block += 10) {
    const statuses = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        ask(pair.token('guest'), { from: `127.7.${(block + n) >> 7}.${((block + n) & 127) + 1}` }),
      ),
    );
    assert.deepEqual([...new Set(statuses)], [404]);
  }
  assert.equal(await ask(pair.token('other'), { from: '127.8.0.1' }), 404);
});
