/**
 * Tokens that are nearly right: 10,000 tries where they are compared, and as many at each door as are answered before tries are
 * slowed down. Whatever is wrong with a token, the answer is the same; and how long it takes says no more about how near it came
 * than the noise between two tries of the same kind.
 */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:https';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, test, type TestContext } from 'node:test';
import { TokenTable } from '@steward/shared/config/token-table.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import { startPair, type Pair } from '../support/pair.ts';
import { makeHome, startBroker, type BrokerHome, type RawBroker } from '../support/raw-broker.ts';

const TRIES = 10_000;
/** More than 600 a minute are answered late, whatever is wrong with them. */
const AT_EACH_DOOR = 400;
const PATIENT = 'limits: {auth_failures_per_minute: 10000}\n';

let home: BrokerHome;
let broker: RawBroker;
let pair: Pair;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

before(async () => {
  home = makeHome('', PATIENT);
  broker = await startBroker(home, { bundle: true });
  await broker.client.hello();
  pair = await startPair({ daemon: PATIENT });
});
after(async () => {
  agent.destroy();
  await Promise.all([broker.stop(), pair.stop()]);
  home.remove();
});

type User = ConfigSnapshot['users'][number];

/** Tokens of the right form, ever nearer to the right one. What is not of that form is judged before anything is compared. */
const NEAR: Readonly<Record<string, (token: string) => string>> = {
  'nothing right': () => randomBytes(32).toString('hex'),
  'first half right': (token) => token.slice(0, 32) + randomBytes(16).toString('hex'),
  'all but the last character': (token) => token.slice(0, -1) + (token.endsWith('0') ? '1' : '0'),
  'all, in capitals': (token) => token.toUpperCase(),
};
const ODD: Readonly<Record<string, (token: string) => string>> = {
  'a prefix': (token) => token.slice(0, 63),
  'with a newline': (token) => `${token}\n`,
  '10 KiB': (token) => token.repeat(160),
  empty: () => '',
};

/** Milliseconds of one try. */
type Try = (token: string) => number | Promise<number>;

async function timed(count: number, token: string, attempt: Try): Promise<Map<string, number[]>> {
  const times = new Map(Object.keys(NEAR).map((name) => [name, [] as number[]]));
  for (let tries = 0; tries < count / times.size; tries += 1) {
    // in turn, so that a machine that grows busy is so for all
    for (const [name, make] of Object.entries(NEAR)) times.get(name)?.push(await attempt(make(token)));
  }
  return times;
}

const at = (sorted: readonly number[], share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;

/** The middle tries of all kinds lie within what tries of one kind differ among themselves. */
function judge(context: TestContext, times: ReadonlyMap<string, readonly number[]>): void {
  const sorted = [...times].map(([name, taken]) => ({ name, taken: taken.toSorted((a, b) => a - b) }));
  const medians = sorted.map(({ taken }) => at(taken, 0.5));
  const noise = Math.min(...sorted.map(({ taken }) => at(taken, 0.95) - at(taken, 0.05)));
  const spread = Math.max(...medians) - Math.min(...medians);
  for (const { name, taken } of sorted) context.diagnostic(`${name}: p50 ${(at(taken, 0.5) * 1000).toFixed(0)} µs`);
  context.diagnostic(
    `medians differ by ${(spread * 1000).toFixed(0)} µs, 90 % of equal tries by ${(noise * 1000).toFixed(0)} µs`,
  );
  assert.ok(spread < noise, `the time tells: ${spread} ms between medians, noise ${noise} ms`);
}

test('where tokens are compared', async (context) => {
  const token = randomBytes(32).toString('hex');
  const users = Array.from({ length: 20 }, (_, n) => userWith(`user${n}`, n === 10 ? token : randomBytes(32).toString('hex')));
  const table = new TokenTable(users);
  assert.equal(table.owner(token, '127.0.0.1', Date.now())?.user.name, 'user10');
  const attempt: Try = (tried) => {
    const began = performance.now();
    const owner = table.owner(tried, '127.0.0.1', began);
    const took = performance.now() - began;
    assert.equal(owner, undefined);
    return took;
  };
  judge(context, await timed(TRIES, token, attempt));
});

// abuse 39: broker
test('straight at the broker', async (context) => {
  const { client } = broker;
  const token = home.token('ops');
  for (const make of Object.values(ODD)) assert.deepEqual((await client.tryOpen(make(token))).key, 'bad_token');
  const attempt: Try = async (tried) => {
    const began = performance.now();
    const { key, params } = await client.tryOpen(tried);
    const took = performance.now() - began;
    assert.deepEqual([key, params], ['bad_token', {}]);
    client.messages.length = 0;
    return took;
  };
  judge(context, await timed(AT_EACH_DOOR, token, attempt));
  await client.open(token); // and the right one is
  const log = JSON.stringify(home.records());
  for (const part of [token, token.slice(0, 32), token.slice(32, 63)]) assert.ok(!log.includes(part), 'no token is recorded');
});

function userWith(name: string, token: string): User {
  const salt = randomBytes(16);
  const hash = createHash('sha256').update(salt).update(token).digest('hex');
  return { name, account: '', tokens: [{ id: 't', salt: salt.toString('hex'), hash, line: 1 }] } as unknown as User;
}

function ask(token: string): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const outgoing = request(`${pair.url}/mcp`, { method: 'POST', ca: pair.ca, headers, agent }, (reply) => {
      let body = '';
      reply.setEncoding('utf8').on('data', (text: string) => (body += text));
      reply.once('end', () => done({ status: reply.statusCode ?? 0, body }));
    });
    outgoing.once('error', fail).end('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  });
}

// abuse 39: frontend
test('through the frontend', async (context) => {
  const token = pair.token('ops');
  const refusal = await ask('0'.repeat(64));
  assert.equal(refusal.status, 401);
  for (const [name, make] of Object.entries(ODD)) {
    if (name === 'with a newline') continue; // no header can hold one
    assert.deepEqual(await ask(make(token)), refusal, name);
  }
  const attempt: Try = async (tried) => {
    const began = performance.now();
    const answer = await ask(tried);
    const took = performance.now() - began;
    assert.deepEqual(answer, refusal);
    return took;
  };
  judge(context, await timed(AT_EACH_DOOR, token, attempt));
  assert.notEqual((await ask(token)).status, 401);
});
