/** stewardctl verify: table and log, the printed lines, and where it refuses to work. */
import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { TABLE_DIGEST } from '@steward/shared/generated/table.ts';
import { emptyLog, LOG_BEGAN, writeEntries } from '@steward/shared/testing/sealed-log.ts';
import { checkAudit, checkTable } from './verify-record.ts';
import { report } from './verify.ts';
import { directoryFor, run } from '../testing/host.ts';

test('programs with different tables are found', () => {
  const printed = JSON.stringify({ digest: TABLE_DIGEST });
  assert.deepEqual(checkTable(printed, `x "${TABLE_DIGEST}" y`).wrong, []);
  assert.match(checkTable(printed, 'x').wrong.join(), /^frontend\.js was not built/);
  assert.match(checkTable('{"digest":"00"}', TABLE_DIGEST).wrong.join(), /^broker\.js has the table 00, stewardctl\.js/);
});

test('an altered log, and one that is not there, are found', async (context) => {
  const log = emptyLog(context);
  writeEntries(log, [
    [{ kind: 'start' }, 'seal'],
    [{ kind: 'start' }, { kind: 'stop' }, 'final seal'],
  ]);
  const now = LOG_BEGAN + 10_000;
  const good = await checkAudit(log.directory, now);
  assert.deepEqual([good.wrong, good.holds.slice(0, 9)], [[], '5 records']);
  const newest = log.segments()[1]!;
  chmodSync(newest, 0o600);
  writeFileSync(newest, readFileSync(newest, 'utf8').replace('"stop"', '"halt"'));
  assert.match((await checkAudit(log.directory, now)).wrong.join(), /: altered: .*000002\.jsonl:\d/);
  assert.match((await checkAudit(`${log.directory}/none`, now)).wrong.join(), /none: /);
});

test('the printed lines, and the exit code', () => {
  let text = '';
  const out = { write: (piece: string) => (text += piece) };
  assert.equal(report({ out }, [['a', { holds: 'good', wrong: [] }]]), 0);
  assert.equal(text, 'PASS a: good\nall 1 checks hold\n');
  text = '';
  assert.equal(report({ out }, [['a', { holds: 'good', wrong: [] }], ['b', { holds: '', wrong: ['x', 'y\u001b'] }]]), 1); // prettier-ignore
  assert.equal(text, 'PASS a: good\nFAIL b: x\nFAIL b: y\\x1b\n1 of 2 checks failed\n');
});

test('from a checkout it says in one line what to do', async (context) => {
  await assert.rejects(run(directoryFor(context), 'verify'), {
    exit: 2,
    message: /^verify: .*(apt install|\/usr\/bin\/stewardctl)/,
  });
});
