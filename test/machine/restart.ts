/** The machine started again: the previous boot in the journal and in the login records. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { output } from '../support/inside/inside.ts';
import type { Suite } from '../support/inside/suite.ts';
import { restart } from '../support/machine/restart.ts';

export function restartTests(machine: Suite): void {
  const { skip } = machine;

  test('after a restart the journal of the boot before is at offset -1', { skip }, async () => {
    await output(machine, 'logger', '--tag', 'teller', 'said before the restart');
    await output(machine, 'journalctl', '--sync');
    await restart(machine);
    await machine.startPair();
    await output(machine, 'logger', '--tag', 'teller', 'said after the restart');
    await output(machine, 'journalctl', '--sync');
    const journal = async (args: object): Promise<string> => {
      const answer = await (await machine.as('ops')).call('logs/journal-control', { privileged: true, lines: 10_000, ...args });
      assert.equal(answer.isError, false, answer.text.slice(0, 500));
      return answer.text;
    };
    const before = await journal({ boot_offset: -1 });
    assert.ok(before.includes('said before the restart') && !before.includes('said after the restart'));
    const now = await journal({ boot: true });
    assert.ok(now.includes('said after the restart') && !now.includes('said before the restart'));
  });

  test('both boots are in the login records', { skip }, async () => {
    const { text } = await (await machine.as('guest')).call('logs/logins', { user: 'reboot', output_format: 'json' });
    const { entries } = JSON.parse(text) as { entries: { login: string; logout: string | null }[] };
    const truth = (await output(machine, 'last', '--time-format=iso', 'reboot'))
      .split('\n')
      .filter((line) => line.startsWith('reboot'));
    assert.equal(entries.length, 2);
    assert.deepEqual(
      entries.map(({ login }) => login.slice(0, 19)),
      truth.map((line) => /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.exec(line)?.[0]),
    );
    assert.deepEqual(
      entries.map(({ logout }) => logout === null),
      [true, false],
    );
  });
}
