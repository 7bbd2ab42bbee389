/** Proves which command is run for which arguments, what is kept of too much output, and what failures mean. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failsWith, testContext } from '../../testing/context.ts';
import { scriptedPrograms, type Left } from '../../testing/scripted-programs.ts';
import { journalControl, journalctlArguments } from './journal-control.ts';

type Args = Parameters<typeof journalControl.run>[0];

async function query(args: Args, left: Left, privileged = true) {
  const pieces: Uint8Array[] = [];
  const programs = scriptedPrograms(() => left);
  const write = (bytes: Uint8Array): Promise<void> => Promise.resolve(void pieces.push(Uint8Array.from(bytes)));
  const result = await journalControl.run(args, testContext({ programs, privileged, write }));
  return { result, text: Buffer.concat(pieces).toString(), asked: programs.asked[0] };
}

const BASE = ['--system', '--no-pager', '--quiet'];

test('arguments', () => {
  assert.deepEqual(journalctlArguments({}), [...BASE, '--lines=100', '--output=short']);
  const all = { unit: 'a', since: '-1h', until: 'now', lines: 99_999, boot: true, reverse: true, output_format: 'wide' } as const;
  assert.deepEqual(journalctlArguments(all), [
    ...[...BASE, '--lines=10000', '--output=json', '--unit=a', '--since=-1h', '--until=now', '--boot=0', '--reverse'],
  ]);
  assert.ok(journalctlArguments({ boot: true, boot_offset: -2 }).includes('--boot=-2'));
  assert.ok(!journalctlArguments({ boot: false }).some((arg) => arg.startsWith('--boot')));
});

test('no text of a caller becomes an option', () => {
  for (const text of ['-f', '--version', '$(id)', '"; rm', "a'b", '--', '*']) {
    const argv = journalctlArguments({ unit: text, since: text, until: text });
    assert.deepEqual(argv.slice(-3), [`--unit=${text}`, `--since=${text}`, `--until=${text}`]);
  }
  for (const text of ['a\nb', 'a\0', '\u007f', 'x'.repeat(256)]) {
    for (const name of ['unit', 'since', 'until']) {
      assert.throws(() => journalctlArguments({ [name]: text }), failsWith('journal_argument', { name, value: text }));
    }
  }
});

test('what was printed, without the last newline', async () => {
  const { result, text, asked } = await query({}, { stdout: 'one\ntwo\n' });
  assert.deepEqual([result, text], [{ truncated: false, bytes: 7 }, 'one\ntwo']);
  assert.deepEqual([asked?.maxOutput, asked?.keepEnd], [4 * 1024 * 1024, true]);
  assert.deepEqual((await query({}, {})).result, { truncated: false, bytes: 0 });
});

test('progress counts the lines that were printed', async () => {
  const seen: [number, string | undefined][] = [];
  const programs = scriptedPrograms(() => ({ stdout: 'one\ntwo\nthr' }));
  const progress = (done: number, words?: string): number => seen.push([done, words]);
  await journalControl.run({}, testContext({ programs, progress, write: () => Promise.resolve() }));
  assert.deepEqual(seen, [[2, '2 lines read']]);
});

test('too much: the line that was cut is left out at the older end', async () => {
  const oldest = await query({}, { stdout: 'ut\ntwo\nthree\n', truncated: true });
  assert.deepEqual([oldest.text, oldest.result.truncated], ['two\nthree', true]);
  const newest = await query({ reverse: true }, { stdout: 'three\ntwo\no', truncated: true, status: null });
  assert.deepEqual([newest.text, newest.result.truncated], ['three\ntwo', true]);
  assert.equal(newest.asked?.keepEnd, false);
});

test('long output goes out in pieces', async () => {
  const stdout = `${'x'.repeat(150_000)}\n`;
  assert.equal((await query({}, { stdout })).text.length, 150_000);
});

test('failures', async () => {
  const fails = (args: Args, left: Left, privileged?: boolean) =>
    query(args, left, privileged).then(
      () => assert.fail('it did not fail'),
      (error: unknown) => error as Error & { params: Record<string, unknown> },
    );
  const stamp = { status: 1, stderr: 'Failed to parse timestamp: bogus\n' };
  assert.equal((await fails({ since: 'bogus' }, stamp)).message, 'invalid since "bogus"');
  assert.equal((await fails({ since: '-1h', until: 'bogus' }, stamp)).message, 'invalid until "bogus"');
  const order = await fails({}, { status: 1, stderr: '--since= must be before --until=.\n' });
  assert.equal(order.message, 'journalctl error: exit status 1, stderr: --since= must be before --until=.');
  const denied = { status: 1, stderr: 'No journal files were opened due to insufficient permissions.\n' };
  assert.equal((await fails({}, denied, false)).params['errno'], 'EACCES');
  assert.equal((await fails({}, denied, true)).params['errno'], undefined);
  await assert.rejects(journalControl.run({}, testContext({ programs: scriptedPrograms(() => undefined) })), {
    message: 'journalctl error: journalctl is not installed on this host, stderr: ',
  });
});
