/** Proves what is asked for after a redirect, and what is not told again. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../testing/context.ts';
import { at, curl, failed } from '../../testing/curl.ts';
import { httpDouble } from '../../testing/http-server.ts';

describe('redirects', () => {
  test('301, 302 and 303 ask again with GET, 307 and 308 repeat the request', async () => {
    await using server = await httpDouble(({ url }, response) => {
      if (url === '/end') response.end('done');
      else response.writeHead(Number(url.slice(1)), { location: 'end' }).end('moved');
    });
    const body = 'data';
    for (const status of [301, 302, 303, 307, 308]) {
      const headers = { 'Content-Type': 'text/plain', Cookie: 'a=b' };
      assert.equal((await curl({ url: at(server, `/${String(status)}`), method: 'PUT', body, headers })).body, 'done');
      const last = server.seen.at(-1);
      const repeats = status > 303;
      assert.deepEqual([last?.method, last?.body], repeats ? ['PUT', body] : ['GET', ''], String(status));
      assert.equal(last?.headers['content-type'], repeats ? 'text/plain' : undefined);
      assert.equal(last?.headers.cookie, 'a=b');
    }
    assert.equal((await curl({ url: at(server, '/300') })).body, 'moved');
    assert.equal((await curl({ url: at(server, '/303'), method: 'HEAD' })).status_code, 200);
    assert.equal(server.seen.at(-1)?.method, 'HEAD');
  });

  test('what was for one origin is not told to another, nor afterwards again to the first', async () => {
    await using other = await httpDouble(({ url }, response) => response.writeHead(302, { location: url.slice(1) }).end());
    await using server = await httpDouble(({ url }, response) => {
      if (url === '/back') response.end();
      else response.writeHead(302, { location: at(other, `/${at(server, '/back')}`) }).end();
    });
    const headers = { Authorization: 'Bearer t', cookie: 'a=b', Host: 'virtual.test', 'X-Kept': '1' };
    await curl({ url: at(server), headers });
    assert.equal(server.seen[0]?.headers.authorization, 'Bearer t');
    for (const seen of [other.seen[0], server.seen[1]]) {
      assert.deepEqual([seen?.headers.authorization, seen?.headers.cookie, seen?.headers['x-kept']], [undefined, undefined, '1']);
      assert.match(seen?.headers.host ?? '', /^127\.0\.0\.1:/);
    }
  });

  test('ten are followed, an eleventh is not', async () => {
    await using server = await httpDouble(({ url }, response) => {
      const left = Number(url.slice(1));
      if (left === 0) response.end('end');
      else response.writeHead(302, { location: `/${String(left - 1)}` }).end();
    });
    assert.equal((await curl({ url: at(server, '/10') })).body, 'end');
    await assert.rejects(curl({ url: at(server, '/11') }), failed('stopped after 10 redirects'));
  });

  test('only to http and https', async () => {
    await using server = await httpDouble(({ url }, response) => response.writeHead(302, { location: url.slice(1) }).end());
    for (const url of ['file:///etc/passwd', 'gopher://127.0.0.1/', 'data:,x', 'http://']) {
      await assert.rejects(curl({ url: at(server, `/${url}`) }), failsWith('url_invalid', { url }));
    }
  });

  test('without a place to go it is the answer', async () => {
    await using server = await httpDouble((_, response) => response.writeHead(302).end('stay'));
    assert.equal((await curl({ url: at(server) })).body, 'stay');
  });
});
