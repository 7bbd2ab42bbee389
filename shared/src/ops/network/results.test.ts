/** Proves that the operations give what their schemas say, on this machine and against servers on loopback. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testContext, withTree } from '../../testing/context.ts';
import { dnsDouble } from '../../testing/dns-server.ts';
import { httpDouble } from '../../testing/http-server.ts';
import { misfit } from '../../testing/schema.ts';
import { networkArp } from './arp.ts';
import { networkConnections, type ConnectionRecord } from './connections.ts';
import { networkCurl } from './curl.ts';
import { NETWORK_OPERATIONS } from './index.ts';
import { networkInterfaces } from './interfaces.ts';
import { networkNslookup } from './nslookup.ts';
import { networkPing } from './ping.ts';
import { networkRoutes } from './routes.ts';

const network = { deny_private: false, deny: ['10.0.0.0/8'] };

test('the judge of this test finds what does not fit', () => {
  const { result } = networkPing;
  const good = { host: 'x', port: 80, success: false, latency_ms: 0 };
  assert.equal(misfit(result, good), undefined);
  for (const bad of [
    { ...good, port: 0 },
    { ...good, port: 1.5 },
    { ...good, more: 1 },
    { host: 'x' },
    [],
    null,
    { ...good, error: 5 },
  ]) {
    assert.notEqual(misfit(result, bad), undefined, JSON.stringify(bad));
  }
});

test('what is read from this machine', async () => {
  const context = testContext();
  assert.equal(misfit(networkArp.result, await networkArp.run({}, context)), undefined);
  assert.equal(misfit(networkInterfaces.result, await networkInterfaces.run({}, context)), undefined);
  assert.equal(misfit(networkRoutes.result, await networkRoutes.run({}, context)), undefined);
  const sockets = testContext<ConnectionRecord>();
  assert.equal(misfit(networkConnections.result, await networkConnections.run({}, sockets)), undefined);
  assert.ok(networkConnections.record !== undefined);
  for (const record of sockets.records) assert.equal(misfit(networkConnections.record, record), undefined);
});

test('what others answer', async () => {
  await using dns = await dnsDouble((_, type) => (type === 'A' ? ['192.0.2.1', '10.0.0.1'] : []));
  await using web = await httpDouble((_, response) => response.end(Buffer.from([0xff, 0xff])));
  await withTree({ 'etc/resolv.conf': dns.resolvConf }, async (root) => {
    const context = testContext({ root, network });
    const found = await networkNslookup.run({ host: 'x.test' }, context);
    assert.deepEqual([misfit(networkNslookup.result, found), found.withheld], [undefined, 1]);
    const answered = await networkCurl.run({ url: `http://127.0.0.1:${String(web.port)}/`, max_body: 1 }, context);
    assert.deepEqual([misfit(networkCurl.result, answered), answered.truncated, answered.body_base64], [undefined, true, '/w==']);
    for (const port of [web.port, 1]) {
      assert.equal(misfit(networkPing.result, await networkPing.run({ host: '127.0.0.1', port }, context)), undefined);
    }
  });
});

test('only connections may be run as root, and no operation takes a path', () => {
  assert.deepEqual(
    NETWORK_OPERATIONS.filter(({ where }) => where === 'worker').map(({ name }) => name),
    ['network/connections'],
  );
  for (const op of NETWORK_OPERATIONS) assert.equal(op.path, undefined);
});
