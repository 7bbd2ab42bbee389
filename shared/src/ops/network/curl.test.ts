/** Proves what is sent and what is answered, against servers on loopback. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, curl } from '../../testing/curl.ts';
import { httpDouble } from '../../testing/http-server.ts';

describe('one request', () => {
  test('what is sent and what is answered', async () => {
    await using server = await httpDouble((_, response) => {
      response.writeHead(404, 'No Luck', { 'x-one': 'a', 'SET-cookie': ['b=1', 'c=2'], 'content-type': 'text/plain' });
      response.end('grüße');
    });
    const result = await curl({ url: at(server, '/p a?q=1#frag'), method: 'post', body: 'ä', headers: { 'X-Test': '1' } });
    const { headers, ...rest } = result;
    assert.deepEqual(rest, { status_code: 404, status: '404 No Luck', body: 'grüße' });
    assert.equal(headers['Set-Cookie'], 'b=1, c=2');
    assert.equal(headers['X-One'], 'a');
    const [seen] = server.seen;
    assert.deepEqual([seen?.method, seen?.url, seen?.body], ['POST', '/p%20a?q=1', 'ä']);
    const host = `127.0.0.1:${String(server.port)}`;
    assert.deepEqual(Object.fromEntries(pairs(seen?.rawHeaders ?? [])), {
      'Accept-Encoding': 'identity',
      'User-Agent': 'steward/0.1.0',
      'X-Test': '1',
      Host: host,
      'Content-Length': '2',
      Connection: 'close',
    });
  });

  test('the caller may replace our own fields; names that differ only in case are one', async () => {
    await using server = await httpDouble((_, response) => response.end());
    await curl({ url: at(server), headers: { 'user-agent': 'x', 'USER-AGENT': 'y', Host: 'other.test' } });
    assert.deepEqual([server.seen[0]?.headers['user-agent'], server.seen[0]?.headers.host], ['y', 'other.test']);
  });

  test('name and password of the URL become the header, unless one is given', async () => {
    await using server = await httpDouble((_, response) => response.end());
    const url = at(server).replace('//', '//us%65r:p%zz@');
    await curl({ url });
    await curl({ url, headers: { authorization: 'Bearer t' } });
    const [first, second] = server.seen.map(({ headers }) => headers.authorization);
    assert.equal(first, `Basic ${Buffer.from('user:p%zz').toString('base64')}`);
    assert.equal(second, 'Bearer t');
  });

  test('proxy variables of the environment are not looked at', async () => {
    await using server = await httpDouble((_, response) => response.end('direct'));
    Object.assign(process.env, { http_proxy: 'http://127.0.0.1:1', HTTP_PROXY: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' });
    try {
      assert.equal((await curl({ url: at(server) })).body, 'direct');
    } finally {
      for (const name of ['http_proxy', 'HTTP_PROXY', 'NODE_USE_ENV_PROXY']) Reflect.deleteProperty(process.env, name);
    }
  });

  test('every request has a connection of its own', async () => {
    const ports = new Set<number | undefined>();
    await using server = await httpDouble((_, response) => {
      ports.add(response.socket?.remotePort);
      response.end();
    });
    await curl({ url: at(server) });
    await curl({ url: at(server) });
    assert.equal(ports.size, 2);
  });

  test('a status without words', async () => {
    await using server = await httpDouble((_, response) => response.writeHead(299, ' ').end());
    assert.equal((await curl({ url: at(server), method: 'HEAD' })).status, '299');
  });
});

describe('the body', () => {
  test('is cut at max_body, never inside a character', async () => {
    await using server = await httpDouble((_, response) => response.end('aé€😀'));
    const bodies: [number, string, boolean | undefined][] = [
      [0, '', true],
      [2, 'a', true],
      [3, 'aé', true],
      [5, 'aé', true],
      [6, 'aé€', true],
      [9, 'aé€', true],
      [10, 'aé€😀', undefined],
      [99_999_999, 'aé€😀', undefined],
    ];
    for (const [max_body, body, truncated] of bodies) {
      const result = await curl({ url: at(server), max_body });
      assert.deepEqual([result.body, result.truncated, result.body_base64], [body, truncated, undefined], String(max_body));
    }
  });

  test('is cut at 10 MiB whatever is asked for', async () => {
    await using server = await httpDouble((_, response) => response.end(Buffer.alloc(11 * 1024 * 1024, 'x')));
    const { body, truncated } = await curl({ url: at(server), max_body: 1e9 });
    assert.deepEqual([body.length, truncated], [10 * 1024 * 1024, true]);
  });

  test('that is not UTF-8 is given as bytes too', async () => {
    const bytes = Buffer.from([0x41, 0xff, 0xe4, 0x0a]);
    await using server = await httpDouble((_, response) => response.end(bytes));
    const { body, body_base64 } = await curl({ url: at(server) });
    assert.deepEqual([body, body_base64], ['A\ufffd\ufffd\n', bytes.toString('base64')]);
  });

  test('a byte order mark is content', async () => {
    await using server = await httpDouble((_, response) => response.end('\ufeffx'));
    assert.equal((await curl({ url: at(server) })).body, '\ufeffx');
  });
});

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? '']);
}
