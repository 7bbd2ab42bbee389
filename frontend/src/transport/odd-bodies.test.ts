/** Bodies that are JSON and yet unusual: nothing of them is lost, nothing changes the process, nothing is too deep or too long for it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startWithStream, type Harness } from '../testing/harness.ts';
import type { SseClient } from '../testing/client.ts';
import { openMcp } from '../testing/mcp-client.ts';

let it: Harness;
let client: SseClient;
before(async () => void ({ it, client } = await startWithStream()));
after(() => it.stop());

/** A call of files/list as text, with this text for the path, between quotes and escaped as it is. */
const callWith = (id: string, path: string): string =>
  `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"files/list","arguments":{"path":"${path}"}}}`;

test('wire 056: of a key that is there twice the last one counts, as everywhere in JavaScript', async () => {
  await client.post('{"jsonrpc":"2.0","id":"first","id":"last","method":"nowhere","method":"ping"}');
  assert.deepEqual(await client.answerTo('last'), { jsonrpc: '2.0', id: 'last', result: {} });
});

test('wire 056: a key __proto__ is a key like any other', async () => {
  const before = Object.getOwnPropertyNames(Object.prototype);
  const poison = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"path":"/p"}';
  const params = `{"name":"files/list","arguments":${poison},"__proto__":{"arguments":{"path":"/other"}}}`;
  await client.post(`{"jsonrpc":"2.0","id":"p","method":"tools/call","__proto__":{"id":"q"},"params":${params}}`);
  const { result } = await client.answerTo('p');
  assert.match(result?.content?.[0]?.text ?? '', /^unknown argument "__proto__"/);
  assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  assert.deepEqual(Object.getOwnPropertyNames(Object.prototype), before);
});

test('wire 056: ten thousand levels are refused on every path a body can take', async () => {
  const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`;
  assert.equal((await client.post(deep)).status, 400);
  const session = await openMcp(it.target);
  assert.equal((await session.post(deep)).status, 400);
});

test('wire 056: a text of a megabyte comes through', async () => {
  it.deeds.list = ({ path }) => [String(path).length];
  await client.post(callWith('long', `/${'é'.repeat(500_000)}`));
  assert.equal((await client.answerTo('long')).result?.content?.[0]?.text, '500001');
});

test('wire 057: lone surrogates, line separators and characters of four bytes come back as they were', async () => {
  it.deeds.list = ({ path }) => [path];
  const cases = {
    high: ['\\ud800', '\ud800'],
    low: ['a\\udc00b', 'a\udc00b'],
    separators: ['\u2028\u2029', '\u2028\u2029'],
    plain: ['\u{1f600}', '\u{1f600}'],
    escaped: ['\\ud83d\\ude00', '\u{1f600}'],
    control: ['\\u0001\\u001f\\u007f', '\u0001\u001f\u007f'],
  };
  for (const [id, [written = '', meant = '']] of Object.entries(cases)) {
    await client.post(callWith(id, `/${written}`));
    assert.equal((await client.answerTo(id)).result?.content?.[0]?.text, `/${meant}`, id);
  }
});

test('wire 057: a NUL in an argument is a character like any other to the wire', async () => {
  it.deeds.list = ({ path }) => [path];
  await client.post(callWith('nul', '/a\\u0000b'));
  assert.equal((await client.answerTo('nul')).result?.content?.[0]?.text, '/a\0b');
});

test('wire 063: a body of 16 MiB is taken, one byte more is not', async () => {
  const session = await openMcp(it.target);
  const begin =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"files/create","arguments":{"path":"/x","content":"';
  const body = (bytes: number): string => `${begin}${'y'.repeat(bytes - begin.length - 4)}"}}}`;
  const limit = 16 * 1024 * 1024;
  const taken = await session.post(body(limit));
  const size = limit - begin.length - 4;
  assert.equal((JSON.parse(taken.messages[0]?.result?.content?.[0]?.text ?? '') as { size: number }).size, size);
  assert.equal((await session.post(body(limit + 1))).status, 413);
});
