/** Proves reading, replacing, conflicts and dry runs against a crontab program that keeps its crontabs in memory. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { failsWith, testBroker, testContext, withTree } from '../../testing/context.ts';
import { uploadOf } from '../../testing/operations.ts';
import { scriptedPrograms } from '../../testing/scripted-programs.ts';
import { crontabResource } from '../resource/crontab.ts';
import { cronManage, MAX_CRONTAB_BYTES } from './manage.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A host with these crontabs. */
function host(crontabs: Record<string, string>, root = '/', accounts: readonly string[] = []) {
  const table = new Map(Object.entries(crontabs));
  const programs = scriptedPrograms(({ args: [, account = '', verb], input }) => {
    const held = table.get(account);
    if (verb === '-') {
      const text = Buffer.from(input ?? []).toString();
      if (text.includes('bad')) return { status: 1, stderr: '"-":1: bad minute\n' };
      table.set(account, text);
      return {};
    }
    if (held === undefined) return { status: 1, stderr: `no crontab for ${account}\n` };
    if (verb === '-r') table.delete(account);
    return verb === '-l' ? { stdout: held } : {};
  });
  const run = async (args: Parameters<typeof cronManage.run>[0], content?: string | Uint8Array) => {
    const pieces: Uint8Array[] = [];
    const context = testContext({
      privileged: true,
      programs,
      root,
      broker: testBroker({ accounts: () => accounts }),
      upload: content === undefined ? undefined : uploadOf(content, 1000),
      write: (bytes) => Promise.resolve(void pieces.push(Uint8Array.from(bytes))),
    });
    const result = await cronManage.run(args, context);
    return { result, text: Buffer.concat(pieces).toString(), begun: context.begun.count };
  };
  return { table, programs, run };
}

test('reads a crontab, or that there is none', async () => {
  const { run } = host({ alice: '# x\n0 1 * * * run\n' });
  const { result, text } = await run({ user: 'alice' });
  assert.equal(text, '# x\n0 1 * * * run\n');
  assert.deepEqual(result, {
    ...{ action: 'read', user: 'alice', exists: true, lines: 2, jobs: 1, bytes: 18, sha256: hash(text), accounts: [] },
  });
  const none = await run({ user: 'bob' });
  assert.deepEqual([none.text, none.result.exists, none.result.sha256], ['', false, hash('')]);
});

test('replaces, adds the last newline, clears', async () => {
  const { run, table, programs } = host({ alice: 'A=1\n' });
  const { result, begun } = await run({ user: 'alice', if_match: hash('A=1\n').toUpperCase() }, '0 1 * * * a\n@daily b');
  assert.equal(table.get('alice'), '0 1 * * * a\n@daily b\n');
  assert.deepEqual([result.action, result.lines, result.jobs, result.previous_lines, begun], ['write', 2, 2, 1, 1]);
  assert.deepEqual([result.sha256, result.previous_sha256], [hash('0 1 * * * a\n@daily b\n'), hash('A=1\n')]);
  const cleared = await run({ user: 'alice' }, '');
  assert.deepEqual([table.has('alice'), cleared.result.exists, cleared.result.lines], [false, false, 0]);
  await run({ user: 'alice' }, ''); // there is nothing to clear any more
  assert.deepEqual(programs.lines().slice(-3), ['crontab -u alice -l', 'crontab -u alice -r', 'crontab -u alice -l']);
});

test('a crontab that changed meanwhile stays', async () => {
  const { run, table } = host({ alice: 'A=1\n' });
  const message = `the crontab changed since you read it (its sha256 is now ${hash('A=1\n')}, you passed ${hash('')}) - read it again`;
  await assert.rejects(run({ user: 'alice', if_match: hash('') }, 'B=1\n'), { message });
  await assert.rejects(run({ user: 'alice', if_match: 'abc' }, 'B=1\n'), failsWith('sha256_malformed', { name: 'if_match' }));
  assert.equal(table.get('alice'), 'A=1\n');
  await run({ user: 'bob', if_match: hash('') }, 'C=1\n');
  assert.equal(table.get('bob'), 'C=1\n');
});

// abuse 87: broker
test('of two writes at once that expect the same exactly one wins', async () => {
  const { run, table } = host({ alice: 'A=1\n' });
  const if_match = hash('A=1\n');
  const ended = await Promise.allSettled([run({ user: 'alice', if_match }, 'B=1\n'), run({ user: 'alice', if_match }, 'C=1\n')]);
  assert.deepEqual(
    ended.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  assert.equal(table.get('alice'), 'B=1\n');
});

test('a rejected file changes nothing', async () => {
  const { run, table } = host({ alice: 'A=1\n' });
  await assert.rejects(run({ user: 'alice' }, 'bad'), {
    message: 'crontab rejected the file - the old crontab is unchanged: "-":1: bad minute',
  });
  assert.equal(table.get('alice'), 'A=1\n');
});

test('a dry run checks and changes nothing', async () => {
  const { run, table, programs } = host({ alice: 'A=1\n' });
  const { result, begun } = await run({ user: 'alice', dry_run: true }, '0 1 * * * a\n@daily b\n');
  assert.deepEqual([result.dry_run, result.previous_lines, result.lines, begun], [true, 1, 2, 0]);
  await assert.rejects(
    run({ user: 'alice', dry_run: true }, '61 * * * * a\n'),
    failsWith('crontab_rejected', { reason: 'line 1: bad minute' }),
  );
  await assert.rejects(run({ user: 'alice', dry_run: true, if_match: hash('') }, ''), failsWith('crontab_changed'));
  assert.equal(table.get('alice'), 'A=1\n');
  assert.ok(programs.lines().every((line) => line.endsWith(' -l')));
});

// abuse 88: broker
test('content that no cron takes', async () => {
  const { run, programs } = host({});
  await assert.rejects(run({ user: 'alice' }, 'x'.repeat(MAX_CRONTAB_BYTES + 1)), {
    message: 'content is 65537 bytes, the limit is 65536',
  });
  await assert.rejects(run({ user: 'alice' }, 'a\0b\n'), failsWith('crontab_nul'));
  assert.deepEqual(programs.lines(), []);
  const odd = await run({ user: 'alice' }, Buffer.from([0x23, 0xff, 0x0a]));
  assert.equal(odd.result.bytes, 3);
});

test('a call that was stopped while it waited begins nothing', async () => {
  const { programs } = host({ alice: '' });
  const context = testContext({ programs, broker: testBroker(), upload: uploadOf('A=1\n'), signal: AbortSignal.abort() });
  await assert.rejects(cronManage.run({ user: 'alice' }, context), failsWith('cancelled'));
  assert.deepEqual(programs.lines(), []);
});

test('lists the accounts it was given that have a crontab', async () => {
  const files = { 'var/spool/cron/crontabs/alice': '', 'var/spool/cron/crontabs/root': '', 'var/spool/cron/crontabs/eve': '' };
  await withTree(files, async (root) => {
    const { run } = host({ alice: 'A=1\nB=1\n', root: 'C=1\n', eve: '' }, root, ['alice', 'bob', 'root']);
    const { result } = await run({ privileged: true });
    assert.equal(result.action, 'list');
    assert.deepEqual(
      result.accounts.map(({ user, lines }) => [user, lines]),
      [
        ['alice', 2],
        ['root', 1],
      ],
    );
    assert.match(result.accounts[0]?.modified ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });
});

test('nothing runs outside of the broker', async () => {
  const { programs } = host({ alice: 'A=1\n' });
  await assert.rejects(cronManage.run({ user: 'alice' }, testContext({ programs })), failsWith('broker_unavailable'));
  await assert.rejects(crontabResource.run({ user: 'alice' }, testContext({ programs })), failsWith('broker_unavailable'));
  assert.deepEqual(programs.lines(), []);
});

test('the resource has facts and content', async () => {
  const { programs } = host({ alice: 'A=1\n' });
  const pieces: Uint8Array[] = [];
  const write = (bytes: Uint8Array): Promise<void> => Promise.resolve(void pieces.push(bytes));
  const facts = await crontabResource.run({ user: 'alice' }, testContext({ programs, broker: testBroker(), write }));
  assert.deepEqual(facts, { user: 'alice', exists: true, lines: 1, jobs: 0, bytes: 4, sha256: hash('A=1\n') });
  assert.equal(Buffer.concat(pieces).toString(), 'A=1\n');
});
