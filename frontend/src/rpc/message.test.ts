/** Every way in which a message can be well or badly formed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RpcError } from './errors.ts';
import { readMessage, readMessages } from './message.ts';

const body = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const request = (extra: object): object => ({ jsonrpc: '2.0', id: 1, method: 'ping', ...extra });

function codeOf(text: string): number | undefined {
  try {
    readMessages(text);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof RpcError);
    return error.code;
  }
}

describe('ids', () => {
  test('strings and integers are kept with their type and value', () => {
    for (const id of ['a', '', '7', 7, 0, -3, 'é"\n\u2028', 'x'.repeat(1024), Number.MAX_SAFE_INTEGER]) {
      const message = readMessage(request({ id }));
      assert.ok(message.kind === 'request');
      assert.strictEqual(message.id, id);
    }
  });

  test('anything else, and what parsing has rounded, is refused without an id', () => {
    for (const id of ['null', 'true', '{}', '[]', '1.5', '9007199254740993', '1e400', JSON.stringify('x'.repeat(1025))]) {
      const message = readMessages(body(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`));
      assert.ok(message.kind === 'unfit', id);
      assert.equal(message.id, undefined);
      assert.equal(message.error.code, -32600);
    }
  });
});

describe('kinds of message', () => {
  test('no id makes a notification, whatever the method', () => {
    assert.deepEqual(readMessage({ jsonrpc: '2.0', method: 'tools/call' }), {
      kind: 'notification',
      method: 'tools/call',
      params: undefined,
    });
  });

  test('null params are absent params', () => {
    assert.deepEqual(readMessage(request({ params: null })), { kind: 'request', id: 1, method: 'ping', params: undefined });
  });

  test('wrong or missing jsonrpc and method are refused under the readable id', () => {
    for (const extra of [{ jsonrpc: '1.0' }, { jsonrpc: undefined }, { method: undefined }, { method: 5 }, { method: null }]) {
      const message = readMessage(JSON.parse(JSON.stringify(request(extra))));
      assert.ok(message.kind === 'unfit');
      assert.equal(message.id, 1);
      assert.equal(message.error.code, -32600);
    }
  });

  test('a response is recognised; with both members, or without an id, it is refused without one', () => {
    assert.deepEqual(readMessage({ jsonrpc: '2.0', id: 1, result: {} }), { kind: 'response' });
    for (const bad of [
      { jsonrpc: '2.0', id: 1, result: {}, error: {} },
      { jsonrpc: '2.0', result: {} },
    ]) {
      const message = readMessage(bad);
      assert.ok(message.kind === 'unfit' && message.id === undefined);
    }
  });

  test('what is no object is refused', () => {
    for (const value of ['""', '5', '"x"', 'null', 'true']) {
      const message = readMessages(body(value));
      assert.ok(message.kind === 'unfit' && message.id === undefined && message.error.code === -32600);
    }
  });

  test('keys like __proto__ change nothing', () => {
    const message = readMessages(body('{"__proto__":{"id":1,"jsonrpc":"2.0","method":"ping"}}'));
    assert.ok(message.kind === 'unfit' && message.id === undefined);
    assert.equal(({} as Record<string, unknown>)['jsonrpc'], undefined);
  });
});

describe('text', () => {
  test('what is not JSON is a parse error', () => {
    const texts = ['', ' \n', '{', '{"a":1,}', '[1', 'nul'];
    for (const text of texts) assert.equal(codeOf(body(text)), -32700, JSON.stringify(text));
  });

  test('lone surrogates, NUL and line separators come through unchanged', () => {
    const message = readMessages(body('{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\\ud800\\u0000\u2028\u{1f600}"}}'));
    assert.ok(message.kind === 'request');
    assert.deepEqual(message.params, { a: '\ud800\0\u2028\u{1f600}' });
  });
});

describe('batches', () => {
  test('members are judged one by one', () => {
    const batch = readMessages(body([request({}), { jsonrpc: '2.0', method: 'x' }, 5, request({ id: null })]));
    assert.ok(batch.kind === 'batch');
    assert.deepEqual(
      batch.members.map((member) => member.kind),
      ['request', 'notification', 'unfit', 'unfit'],
    );
  });

  test('empty, too long, or with an initialize: refused whole', () => {
    assert.equal(codeOf(body([])), -32600);
    assert.equal(codeOf(body(Array.from({ length: 101 }, (_, id) => request({ id })))), -32600);
    assert.equal(codeOf(body([request({ method: 'initialize' })])), -32600);
    assert.equal(codeOf(body(Array.from({ length: 100 }, (_, id) => request({ id })))), undefined);
  });
});
