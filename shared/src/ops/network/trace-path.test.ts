/** Proves what the traceroute program is given, and what becomes of its end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkPolicy } from '../../config/types.ts';
import { StewardError } from '../../errors.ts';
import type { ProgramRequest, ProgramResult } from '../../host/programs.ts';
import { failsWith, testContext, withTree } from '../../testing/context.ts';
import { networkTracePath } from './trace-path.ts';

type Args = Parameters<typeof networkTracePath.run>[0];
const GOOD: ProgramResult = { status: 0, stdout: Buffer.from(' 1  * * *\n'), stderr: Buffer.alloc(0), truncated: false };
const OPEN: NetworkPolicy = { deny_private: false, deny: [] };

function trace(
  args: Args,
  requests: ProgramRequest[],
  result: Partial<ProgramResult> | Error = {},
  network = OPEN,
): Promise<string> {
  const run = (request: ProgramRequest): Promise<ProgramResult> => {
    requests.push(request);
    return result instanceof Error ? Promise.reject(result) : Promise.resolve({ ...GOOD, ...result });
  };
  const tree = { 'etc/hosts': '192.0.2.9 router.test\n', 'etc/resolv.conf': 'nameserver [127.0.0.1]:1\n' };
  return withTree(tree, (root) => networkTracePath.run(args, testContext({ root, network, programs: { run } })));
}

test('the program gets an address, never a name; its output is given as it is', async () => {
  const requests: ProgramRequest[] = [];
  assert.equal(await trace({ host: 'Router.test' }, requests), ' 1  * * *\n');
  assert.equal(requests[0]?.program, 'traceroute');
  assert.deepEqual(requests[0].args, ['-n', '-m', '30', '-q', '3', '-w', '2', '--', '192.0.2.9']);
  assert.equal(requests[0].maxOutput, 1024 * 1024);
});

test('hops are at most 255', async () => {
  const requests: ProgramRequest[] = [];
  await trace({ host: '0x7f.1', max_hops: 1000 }, requests);
  assert.deepEqual(requests[0]?.args, ['-n', '-m', '255', '-q', '3', '-w', '2', '--', '127.0.0.1']);
});

test('nothing that looks like an option reaches the program', async () => {
  const requests: ProgramRequest[] = [];
  for (const host of ['--version', '-f', '$(id)', 'a;b', "x'", 'x\n-f', '']) {
    await assert.rejects(trace({ host }, requests), failsWith('host_invalid', { host }));
  }
  assert.deepEqual(requests, []);
});

test('failures', async () => {
  const text = 'traceroute is not installed on this host - install the traceroute package';
  const missing = new StewardError('program_missing', { program: 'traceroute' });
  await assert.rejects(trace({ host: 'router.test' }, [], missing), { message: text });
  const broken = { status: 1, stderr: Buffer.from('connect: Network is unreachable\n') };
  await assert.rejects(trace({ host: 'router.test' }, [], broken), {
    message: 'traceroute failed: connect: Network is unreachable',
  });
  assert.equal(await trace({ host: 'router.test' }, [], { status: null, truncated: true }), ' 1  * * *\n');
  const timeout = new StewardError('timeout', { seconds: 30 });
  await assert.rejects(trace({ host: 'router.test' }, [], timeout), failsWith('timeout'));
  await assert.rejects(trace({ host: 'no.test' }, []), failsWith('lookup_failed'));
});

test('the policy is asked first', async () => {
  const requests: ProgramRequest[] = [];
  const network = { deny_private: false, deny: ['192.0.2.0/24'] };
  await assert.rejects(
    trace({ host: 'router.test' }, requests, {}, network),
    failsWith('network_denied', { address: ' (192.0.2.9)' }),
  );
  assert.deepEqual(requests, []);
});
