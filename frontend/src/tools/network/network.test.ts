/** Proves words, tables and JSON forms of the network tools, and what callers may write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConnectionRecord } from '@steward/shared/ops/network/connections.ts';
import { optionsOf, outcomeOf, textOf } from '../../testing/outcome.ts';
import { checkArguments } from '../arguments.ts';
import { parametersOf } from '../parameters.ts';
import type { AnyTool } from '../tool.ts';
import { arpTool } from './arp.ts';
import { connectionsTool } from './connections.ts';
import { NETWORK_TOOLS } from './index.ts';
import { nslookupTool } from './nslookup.ts';
import { pingTool } from './ping.ts';

function argumentsOf(tool: AnyTool, given: Record<string, unknown>): Record<string, unknown> {
  return checkArguments(tool, parametersOf(tool), given);
}

test('names in the order of the catalogue, words within their limits', () => {
  assert.deepEqual(
    NETWORK_TOOLS.map(({ name }) => name),
    ['nslookup', 'curl', 'arp', 'ping', 'connections', 'trace-path'].map((verb) => `network/${verb}`),
  );
  for (const tool of NETWORK_TOOLS) {
    assert.ok(tool.description.length <= 230, tool.name);
    for (const { name, schema } of parametersOf(tool)) {
      const words = ('description' in schema ? schema.description : undefined) ?? '';
      assert.ok(words.length <= 48, `${tool.name} ${name}`);
    }
  }
});

test('arguments in the order of the listing', () => {
  const listed = NETWORK_TOOLS.map((tool) =>
    parametersOf(tool)
      .map(({ name, required }) => (required ? `${name}*` : name))
      .join(' '),
  );
  assert.deepEqual(listed, [
    'host* record_type',
    'url* method headers body insecure max_body timeout',
    'interface output_format',
    'host* port timeout',
    'state port output_format privileged',
    'host* max_hops',
  ]);
});

test('record types in any case; one that is not supported has its own words', () => {
  assert.deepEqual(argumentsOf(nslookupTool, { host: 'x', record_type: 'mx' }), { host: 'x', record_type: 'MX' });
  assert.deepEqual(argumentsOf(nslookupTool, { host: 'x', record_type: '' }), { host: 'x' });
  assert.deepEqual(argumentsOf(nslookupTool, { host: 'x', record_type: null }), { host: 'x' });
  assert.throws(() => argumentsOf(nslookupTool, { host: 'x', record_type: 'SOA' }), {
    message: 'unsupported record type "SOA" (A, AAAA, CNAME, TXT, MX, NS, ANY)',
  });
  assert.throws(() => argumentsOf(nslookupTool, { host: 'x', record_type: 5 }), { message: 'record_type must be a string' });
});

test('bounds that are told, and those that are clamped', () => {
  const [, curlTool, , , , tracePathTool] = NETWORK_TOOLS;
  assert.throws(() => argumentsOf(pingTool, { host: 'x', port: 65536 }), { message: 'port must be at most 65535' });
  assert.throws(() => argumentsOf(pingTool, { host: 'x', port: 0 }), { message: 'port must be at least 1' });
  assert.ok(curlTool !== undefined && tracePathTool !== undefined);
  assert.deepEqual(argumentsOf(tracePathTool, { host: 'x', max_hops: 9999 })['max_hops'], 9999);
  assert.deepEqual(argumentsOf(curlTool, { url: 'x', max_body: 1e12 })['max_body'], 1e12);
  assert.deepEqual(argumentsOf(connectionsTool, { port: 0, state: '' }), {});
  assert.throws(() => argumentsOf(curlTool, { url: 'x', headers: { a: 1 } }), {
    message: 'headers must be an object of strings',
  });
  assert.throws(() => argumentsOf(curlTool, { url: 'x', dry_run: true }), /^StewardError: unknown argument "dry_run"/);
});

test('network/arp', async () => {
  const entry = {
    ip_address: '192.0.2.1',
    hw_type: '0x1',
    flags: '0x2',
    hw_address: '02:fc:00:00:00:05',
    mask: '*',
    device: 'eth0',
  };
  assert.equal(
    await textOf(arpTool.text(outcomeOf([entry]), optionsOf({}))),
    `IP_ADDRESS  HW_TYPE  FLAGS  HW_ADDRESS         MASK  DEVICE
192.0.2.1   0x1      0x2    02:fc:00:00:00:05  *     eth0`,
  );
  assert.equal(await textOf(arpTool.text(outcomeOf([]), optionsOf({}))), 'IP_ADDRESS  HW_TYPE  FLAGS  HW_ADDRESS  MASK  DEVICE');
});

test('network/ping', async () => {
  const result = { host: 'x', port: 80, success: true, latency_ms: 0.251 };
  const text = '{\n  "host": "x",\n  "port": 80,\n  "success": true,\n  "latency_ms": 0.251\n}';
  assert.equal(await textOf(pingTool.text(outcomeOf(result), optionsOf({ host: 'x' }))), text);
});

const SSHD: ConnectionRecord = {
  ...{ netid: 'tcp', state: 'LISTEN', recv_q: 0, send_q: 128, local_address: '0.0.0.0', local_port: 22 },
  ...{ peer_address: '0.0.0.0', peer_port: 0, uid: 0, inode: 555 },
};

test('network/connections: the column of processes only when any is known', async () => {
  const dns: ConnectionRecord = { ...SSHD, netid: 'udp6', state: 'UNCONN', local_address: '::1', local_port: 53, inode: 9 };
  assert.equal(
    await textOf(connectionsTool.text(outcomeOf({ processes: false }, [SSHD]), optionsOf({}))),
    `NETID  STATE   RECV_Q  SEND_Q  LOCAL_ADDRESS  LOCAL_PORT  PEER_ADDRESS  PEER_PORT  UID  INODE
tcp    LISTEN  0       128     0.0.0.0        22          0.0.0.0       0          0    555`,
  );
  const owned = {
    ...SSHD,
    processes: [
      { name: 'sshd', pid: 812, fd: 3 },
      { name: 'a\nb', pid: 1, fd: 30 },
    ],
  };
  assert.equal(
    await textOf(connectionsTool.text(outcomeOf({ processes: true }, [owned, dns]), optionsOf({}))),
    `NETID  STATE   RECV_Q  SEND_Q  LOCAL_ADDRESS  LOCAL_PORT  PEER_ADDRESS  PEER_PORT  UID  INODE  PROCESS
tcp    LISTEN  0       128     0.0.0.0        22          0.0.0.0       0          0    555    sshd(pid=812,fd=3),a\\nb(pid=1,fd=30)
udp6   UNCONN  0       128     ::1            53          0.0.0.0       0          0    9      -`,
  );
});
