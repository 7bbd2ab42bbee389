/** The streaming JSON writer against JSON.parse. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeJson, ReadyJson, StreamedText, type JsonNode } from './json-stream.ts';

async function* pieces(...texts: string[]): AsyncGenerator<string> {
  for (const text of texts) yield await Promise.resolve(text);
}

async function whole(node: JsonNode): Promise<string> {
  const encoded = encodeJson(node);
  if (typeof encoded === 'string') return encoded;
  let text = '';
  for await (const piece of encoded) text += piece;
  return text;
}

test('a document without streamed texts is one string, equal to JSON.stringify', () => {
  const node = { a: [1, 'x\n\u2028', null, true, {}, []], b: { c: undefined, d: '"' } };
  assert.equal(encodeJson(node), JSON.stringify(node));
});

test('streamed texts are escaped piece by piece and stay on one line', async () => {
  const text = await whole({ id: 1, result: [new StreamedText(pieces('a\n', '"\r\n\n', 'data: x\u0000')), 'z'] });
  assert.ok(!/[\r\n]/.test(text));
  assert.deepEqual(JSON.parse(text), { id: 1, result: ['a\n"\r\n\ndata: x\u0000', 'z'] });
});

test('a surrogate pair split between pieces comes out as the same character', async () => {
  const [high, low] = ['\u{1f600}'.slice(0, 1), '\u{1f600}'.slice(1)];
  assert.deepEqual(JSON.parse(await whole([new StreamedText(pieces(high, low, 'é'))])), ['\u{1f600}é']);
});

test('an empty stream is an empty string', async () => {
  assert.equal(await whole({ text: new StreamedText(pieces()) }), '{"text":""}');
});

test('long pieces go out in parts of bounded length', async () => {
  const long = 'x'.repeat(500_000);
  const encoded = encodeJson({ text: new StreamedText(pieces(long)), after: 1 });
  assert.notEqual(typeof encoded, 'string');
  let text = '';
  for await (const piece of encoded as AsyncIterable<string>) {
    assert.ok(piece.length < 70_000);
    text += piece;
  }
  assert.deepEqual(JSON.parse(text), { text: long, after: 1 });
});

test('JSON made earlier goes out as it is; own keys named like prototype members are kept', () => {
  assert.equal(encodeJson({ tools: new ReadyJson('[1, 2]') }), '{"tools":[1, 2]}');
  assert.equal(encodeJson(JSON.parse('{"__proto__":{"a":1}}') as JsonNode), '{"__proto__":{"a":1}}');
});
