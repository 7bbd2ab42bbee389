/** Proves what is sent, what is answered, and how redirects, limits and failures are treated, against servers on loopback. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import type { NetworkPolicy } from '../../config/types.ts';
import { StewardError } from '../../errors.ts';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { httpDouble, type HttpDouble } from '../../testing/http-server.ts';
import { networkCurl, type CurlResult } from './curl.ts';

const OPEN: NetworkPolicy = { deny_private: false, deny: [] };
type Args = Parameters<typeof networkCurl.run>[0];

function curl(args: Args, { hosts = '', signal }: { hosts?: string; signal?: AbortSignal } = {}): Promise<CurlResult> {
  const given = signal === undefined ? {} : { signal };
  const tree = { 'etc/hosts': hosts, 'etc/resolv.conf': 'nameserver [127.0.0.1]:1\n' };
  return withTree(tree, (root) => networkCurl.run(args, testContext({ root, network: OPEN, ...given })));
}

function at({ port }: HttpDouble, path = '/'): string {
  return `http://127.0.0.1:${String(port)}${path}`;
}

function failed(reason: string): (error: unknown) => boolean {
  return failsWith('http_failed', { reason });
}

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

describe('bad arguments', () => {
  test('URLs', async () => {
    for (const url of [
      '',
      'example.com',
      '//x',
      'ftp://x/',
      'file:///etc/passwd',
      'http://',
      'http://a b/',
      'http://[::1',
      'http://x:99999/',
    ]) {
      await assert.rejects(curl({ url }), failsWith('url_invalid', { url }), url);
    }
    await assert.rejects(curl({ url: 'http://a$b/' }), failsWith('host_invalid', { host: 'a$b' }));
  });

  test('methods', async () => {
    for (const method of ['CONNECT', 'trace', 'GET /', 'A B', 'x'.repeat(21), 'GE\nT', 'ſ']) {
      await assert.rejects(curl({ url: 'http://127.0.0.1:1/', method }), failsWith('method_invalid', { method }), method);
    }
  });

  test('headers', async () => {
    const refused = [
      'connection',
      'Content-Length',
      'TRANSFER-encoding',
      'Upgrade',
      'Expect',
      'TE',
      'Trailer',
      'Proxy-Authorization',
    ];
    for (const name of [...refused, 'proxy-x', 'a b', 'a:b', '', 'a\r\nb']) {
      await assert.rejects(
        curl({ url: 'http://127.0.0.1:1/', headers: { [name]: 'x' } }),
        failsWith('header_refused', { name }),
        name,
      );
    }
    for (const value of ['a\r\nX: b', 'a\nb', 'a\0b', '€']) {
      await assert.rejects(
        curl({ url: 'http://127.0.0.1:1/', headers: { 'X-A': value } }),
        failsWith('header_refused', { name: 'X-A' }),
      );
    }
    for (const Host of ['a/b', 'u@h', 'h:x', '', 'h?q', 'a b', 'h#f']) {
      await assert.rejects(
        curl({ url: 'http://127.0.0.1:1/', headers: { Host } }),
        failsWith('header_refused', { name: 'Host' }),
        Host,
      );
    }
  });
});

describe('failures', () => {
  test('nobody listens, nobody is there', async () => {
    await assert.rejects(curl({ url: 'http://127.0.0.1:1/' }), failed('ECONNREFUSED'));
    await assert.rejects(curl({ url: 'http://no.test/' }), failed('no.test: lookup failed: ECONNREFUSED'));
  });

  test('the time limit counts for everything: the answer, its body, and all redirects together', async () => {
    await using server = await httpDouble(({ url }, response) => {
      if (url === '/body') response.write('begun');
      if (url === '/loop') setTimeout(() => response.writeHead(302, { location: '/loop' }).end(), 60);
    });
    for (const path of ['/silent', '/body', '/loop']) {
      await assert.rejects(curl({ url: at(server, path), timeout: 0.25 }), failed('timed out after 0.25 seconds'), path);
    }
  });

  test('the end of the call', async () => {
    await using server = await httpDouble(() => undefined);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new StewardError('cancelled')), 50);
    await assert.rejects(curl({ url: at(server) }, { signal: controller.signal }), failsWith('cancelled'));
  });

  test('what is no HTTP', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH_9.2\r\n'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await assert.rejects(curl({ url: `http://127.0.0.1:${String(port)}/` }), /http request failed: Expected HTTP/);
    await assert.rejects(curl({ url: `https://127.0.0.1:${String(port)}/` }), /http request failed: \S/);
    server.close();
  });

  test('a body that ends too early, and headers without end', async () => {
    await using server = await httpDouble(({ url }, response) => {
      if (url === '/short') response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy());
      else response.writeHead(200, { 'x-big': 'y'.repeat(20_000) }).end();
    });
    await assert.rejects(curl({ url: at(server, '/short') }), failed('ECONNRESET'));
    await assert.rejects(curl({ url: at(server, '/big') }), /http request failed: .*Header overflow/);
  });
});

const OPENSSL = ['/usr/bin/openssl', '/bin/openssl'].find((file) => tryRead(file));

describe('https', { skip: OPENSSL === undefined && 'openssl is not installed' }, () => {
  test('a certificate that this host does not trust, unless told not to verify', async () => {
    await withTree({ x: '' }, async (directory) => {
      const [key, cert] = [`${directory}/key.pem`, `${directory}/cert.pem`];
      const subject = ['-subj', '/CN=tls.test', '-addext', 'subjectAltName=DNS:tls.test', '-days', '2'];
      const made = [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
      ];
      execFileSync(OPENSSL ?? '', [...made, ...subject], { stdio: 'ignore' });
      const tls = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
      await using server = await httpDouble((_, response) => response.end('secret'), { tls });
      const url = `https://tls.test:${String(server.port)}/`;
      const hosts = '127.0.0.1 tls.test';
      await assert.rejects(curl({ url }, { hosts }), failed('self-signed certificate'));
      assert.equal(server.seen.length, 0);
      assert.equal((await curl({ url, insecure: true }, { hosts })).body, 'secret');
    });
  });
});

function tryRead(file: string): boolean {
  try {
    return readFileSync(file).length > 0;
  } catch {
    return false;
  }
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? '']);
}
