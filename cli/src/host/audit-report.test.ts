/** stewardctl audit report and tail: what is counted, that nothing of a log becomes markup, and that a log is followed as it grows. */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { AuditEntry } from '@steward/shared/audit/record.ts';
import { emptyLog, logOf, type SealedLog, type Written } from '@steward/shared/testing/sealed-log.ts';
import { chart } from './audit-chart.ts';
import { escapeHtml } from './audit-page.ts';
import { hostCommands } from './index.ts';
import { eventually } from '../../../test/support/pair.ts';

const about: Omit<AuditEntry, 'kind'> = { user: 'alice', token: 'ci', address: '192.0.2.1', op: 'files/chown', request: 'r1' };
const EVIL = '<script>alert(1)</script>"\'&\u001b[2J\u202e';

const ENTRIES: Written[] = [
  { kind: 'start' },
  { kind: 'session', user: 'alice' },
  { kind: 'intent', ...about },
  { kind: 'outcome', ...about, code: 'OK', intent: 3 },
  { kind: 'outcome', ...about, code: 'FAILED', intent: 3, detail: 'it broke' },
  { kind: 'refusal', ...about, object: EVIL, client: EVIL, code: 'RESTRICTED', detail: EVIL },
  { kind: 'session-refused', address: '192.0.2.9', code: 'UNAUTHENTICATED' },
  { kind: 'stop' },
  'final seal',
];

const log = (context: { after(fn: () => void): void }): SealedLog => logOf(context, ENTRIES);

function start(word: string, directory: string, options: Record<string, string>, signal?: AbortSignal) {
  const command = hostCommands.find(({ path }) => path.join(' ') === `audit ${word}`);
  assert.ok(command);
  const said = { out: '' };
  const exit = command.run({
    positional: [directory],
    options: new Map(Object.entries(options).map(([name, value]) => [name, [value]])),
    configDir: '/nonexistent',
    out: { write: (text) => (said.out += text) },
    err: { write: () => undefined },
    ...(signal && { signal }),
  });
  return { said, exit };
}

test('the report counts what was done, failed and refused', async (context) => {
  const { directory } = log(context);
  const { said, exit } = start('report', directory, { output: 'json' });
  assert.equal(await exit, 0);
  const { verdict, summary } = JSON.parse(said.out) as Record<string, Record<string, unknown>>;
  assert.equal(verdict?.['state'], 'good');
  assert.deepEqual(summary?.['totals'], { done: 1, failed: 1, refused: 2 });
  assert.deepEqual(summary?.['users'], [
    ['alice', { done: 1, failed: 1, refused: 1 }],
    ['(nobody)', { done: 0, failed: 0, refused: 1 }],
  ]);
  const since = start('report', directory, { output: 'json', kind: 'refusal' });
  await since.exit;
  assert.equal((JSON.parse(since.said.out) as { summary: { records: number } }).summary.records, 1);
  await assert.rejects(start('report', directory, { output: 'pdf' }).exit, { exit: 64 });
});

test('the page puts refusals first, loads nothing, and shows what a log holds as text', async (context) => {
  const { directory, segments } = log(context);
  const good = start('report', directory, {});
  await good.exit;
  const page = good.said.out;
  const order = ['Refusals', 'Over time', '<svg', 'By user', 'What was done'].map((text) => page.indexOf(text));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.ok(order.every((at) => at > 0));
  assert.doesNotMatch(page, /<script|\son\w+=|https?:|src=|@import|url\(/i);
  assert.match(page, /default-src 'none'/);
  assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;\\x1b[2J\\u202e'));
  assert.match(page, /verdict good/);
  writeFileSync(segments()[0]!, readFileSync(segments()[0]!, 'utf8').replace('it broke', 'it works'));
  const altered = start('report', directory, {});
  await altered.exit;
  assert.match(altered.said.out, /verdict altered"><strong>The log was altered\./);
});

test('a page of an empty log is a page too', async (context) => {
  const { directory } = emptyLog(context);
  const { said, exit } = start('report', directory, {});
  assert.equal(await exit, 0);
  assert.match(said.out, /Nothing was refused\./);
  assert.match(said.out, /verdict truncated/);
});

test('the chart holds every call once, whatever the time it spans', () => {
  const one = { done: 1, failed: 2, refused: 3 };
  for (const minutes of [[5], [0, 71], [0, 3000], [0, 600_000], [0, 40_000_000]]) {
    const drawn = chart(minutes.map((minute) => [minute, one] as const));
    assert.equal(drawn.match(/<rect class="refused"/g)?.length, minutes.length, String(minutes));
    const numbers = [...drawn.matchAll(/ (?:x|y|width|height)="([^"]*)"/g)].map(([, text]) => Number(text));
    assert.ok(
      numbers.every((number) => number >= 0 && number <= 960),
      String(numbers),
    );
  }
  assert.equal(chart([]), '');
});

test('every character with a meaning in HTML is escaped', () => {
  assert.equal(escapeHtml(`<a href="x" title='y'>&\n\t`), '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;\\n\\t');
});

test('tail shows the last records, and follows the log into new segments until it is interrupted', async (context) => {
  const { directory, segments } = log(context);
  const last = start('tail', directory, { lines: '2' });
  assert.equal(await last.exit, 0);
  assert.deepEqual(
    last.said.out.split('\n').map((line) => line.split(/ +/)[2]),
    ['session-refused', 'stop', undefined],
  );
  const stop = new AbortController();
  const followed = start('tail', directory, { lines: '1', follow: 'true', op: 'files/*', json: 'true' }, stop.signal);
  await eventually(() => followed.said.out.includes('"seq":6'), 30_000);
  const record = (seq: number): string =>
    JSON.stringify({ seq, time: '2026-11-20T11:00:00.000Z', prev: '', kind: 'intent', ...about });
  const [half, rest] = [record(10).slice(0, 20), `${record(10).slice(20)}\n`];
  appendFileSync(segments()[0]!, half);
  appendFileSync(segments()[0]!, rest);
  await eventually(() => followed.said.out.includes('"seq":10'), 30_000);
  writeFileSync(segments()[0]!.replace('000001', '000002'), `${record(11)}\n${record(12)}\n`);
  await eventually(() => followed.said.out.includes('"seq":12'), 30_000);
  stop.abort();
  assert.equal(await followed.exit, 130);
  assert.equal(followed.said.out.split('\n').length, 5);
});
