/** Metrics for Prometheus: off unless configured, on loopback only, and silent about who called and on what. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { startPair, type Pair } from '../support/pair.ts';
import { freePort } from '../support/port.ts';

let pair: Pair;
let port: number;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function get(path: string, options: { readonly method?: string; readonly host?: string } = {}): Promise<Answer> {
  const { method = 'GET', host = `127.0.0.1:${port}` } = options;
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { Host: host } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body });
      });
    });
    sent.on('error', reject).end();
  });
}

/** The value of one sample line. */
async function sample(line: string): Promise<number> {
  const { body } = await get('/metrics');
  const found = body.split('\n').find((one) => one.startsWith(`${line} `));
  return found === undefined ? 0 : Number(found.slice(line.length + 1));
}

before(async () => {
  port = await freePort();
  const grants = '  ops:\n    tools:\n      files/filetype: {allowed: true, paths: [/etc]}\n';
  pair = await startPair({ grants, daemon: `metrics:\n  listen: "127.0.0.1:${port}"\n` });
});
after(() => pair.stop());

test('calls are counted by tool, side and outcome, and refusals by reason', async () => {
  const client = await pair.connect('ops');
  await client.call('cpu/load-average', {});
  await client.call('files/filetype', { path: '/etc/hostname', privileged: true });
  await client.call('files/filetype', { path: '/root/steward-metrics-marker', privileged: true });
  assert.equal(await sample('steward_calls_total{tool="cpu/load-average",side="local",outcome="ok"}'), 1);
  assert.equal(await sample('steward_calls_total{tool="files/filetype",side="root",outcome="ok"}'), 1);
  assert.equal(await sample('steward_calls_total{tool="files/filetype",side="root",outcome="error"}'), 1);
  assert.equal(await sample('steward_call_duration_seconds_count{side="root"}'), 2);
  assert.equal(await sample('steward_audit_record_seconds_count'), 1);
  assert.equal(await sample('steward_sessions'), 1);
  assert.equal(await sample('steward_broker_connected'), 1);
  assert.ok((await sample('steward_http_requests_total{status="202"}')) >= 3);
});

test('nothing says who called, from where, or on what', async () => {
  const { body, type } = await get('/metrics');
  assert.match(type, /^text\/plain; version=0\.0\.4/);
  assert.match(body, /^process_resident_memory_bytes \d+$/m);
  for (const told of ['ops', 'hostname', 'marker', '/root', '127.0.0.1']) assert.ok(!body.includes(told), told);
});

test('only that path, only reading, only for programs of this host', async () => {
  assert.equal((await get('/')).status, 404);
  assert.equal((await get('/metrics', { method: 'POST' })).status, 405);
  assert.equal((await get('/metrics', { host: 'rebound.example' })).status, 403);
  assert.equal((await get('/metrics', { host: 'localhost' })).status, 200);
});
