/** Proves what is refused before anything is sent, and in which words the network's failures are told. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { StewardError } from '../../errors.ts';
import { failsWith, withTree } from '../../testing/context.ts';
import { at, curl, failed } from '../../testing/curl.ts';
import { httpDouble } from '../../testing/http-server.ts';

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

const OPENSSL = ['/usr/bin/openssl', '/bin/openssl'].find(existsSync);

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
      const files = { 'etc/hosts': '127.0.0.1 tls.test' };
      await assert.rejects(curl({ url }, { files }), failed('self-signed certificate'));
      assert.equal(server.seen.length, 0);
      assert.equal((await curl({ url, insecure: true }, { files })).body, 'secret');
    });
  });
});
