/** stewardctl audit: exit codes of verify, filters and escaping of show. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { logOf, type SealedLog, type Written } from '@steward/shared/testing/sealed-log.ts';
import { readMoment } from './audit-filter.ts';
import { hostCommands } from './index.ts';

const ENTRIES: Written[] = [
  { kind: 'start' },
  {
    kind: 'intent',
    user: 'alice',
    token: 'ci',
    address: '192.0.2.1',
    op: 'files/chown',
    object: '/srv/\u001b[2J\nx',
    rule: 'paths: /srv',
  },
  { kind: 'outcome', user: 'alice', op: 'files/chown', intent: 2, code: 'OK', duration_ms: 3 },
  { kind: 'stop' },
  'final seal',
];

const log = (context: { after(fn: () => void): void }): SealedLog => logOf(context, ENTRIES);

async function run(
  word: string,
  positional: string[],
  options: Record<string, string> = {},
): Promise<{ exit: number; out: string }> {
  const command = hostCommands.find(({ path }) => path[0] === 'audit' && path[1] === word);
  assert.ok(command);
  let out = '';
  const exit = await command.run({
    positional,
    options: new Map(Object.entries(options).map(([name, value]) => [name, [value]])),
    configDir: '/nonexistent',
    out: { write: (text) => (out += text) },
    err: { write: () => undefined },
  });
  return { exit, out };
}

test('verify tells good, altered, truncated and unreadable apart', async (context) => {
  const { directory, segments } = log(context);
  const good = await run('verify', [directory]);
  assert.equal(good.exit, 0);
  assert.match(
    good.out,
    /^good: 5 records, 1 seals, the last record is 5 at 2026-11-20T10:00:04\.000Z; the log is closed\nnote: steward-audit epoch 2 key [0-9a-f]{64} after 4 [0-9a-f]{64}\n$/,
  );
  const file = segments()[0]!;
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('alice', 'carol'));
  const altered = await run('verify', [directory]);
  assert.equal(altered.exit, 1);
  assert.match(altered.out, /^altered: 20261120T100000Z-000001\.jsonl:3: the hash of the line before does not fit\n$/);
  writeFileSync(file, text.slice(0, -5));
  assert.equal((await run('verify', [directory])).exit, 2);
  await assert.rejects(run('verify', ['/nonexistent/log']), { exit: 64, message: '/nonexistent/log: no such file or directory' });
  await assert.rejects(run('verify', [directory, 'x']), { exit: 64 });
});

test('verify takes the keys that the auditor kept, and the time of the copy', async (context) => {
  const { directory, segments, anchor, keys } = log(context);
  const file = join(keys, 'noted');
  writeFileSync(file, anchor);
  assert.equal((await run('verify', [directory], { key: file })).exit, 0);
  writeFileSync(
    file,
    anchor.replace(/key [0-9a-f]/, (start) => `key ${start.endsWith('0') ? '1' : '0'}`),
  );
  assert.equal((await run('verify', [directory], { key: file })).exit, 1);
  await assert.rejects(run('verify', [directory], { key: '/nonexistent' }), { exit: 64 });
  writeFileSync(file, 'no key');
  await assert.rejects(run('verify', [directory], { key: file }), {
    exit: 64,
    message: `${file}: no line "steward-audit epoch N key ..."`,
  });
  const lines = readFileSync(segments()[0]!, 'utf8').split('\n');
  writeFileSync(segments()[0]!, `${lines.slice(0, 3).join('\n')}\n`);
  assert.equal((await run('verify', [directory], { at: '2026-11-20T10:01:00Z' })).exit, 0);
  assert.equal((await run('verify', [directory], { at: '2026-11-20T10:03:00Z' })).exit, 2);
  rmSync(join(directory, 'seal.pub'));
  await assert.rejects(run('verify', [directory]), { exit: 64, message: /no key to verify its seals with/ });
});

test('show filters, and nothing in a record reaches the terminal as control', async (context) => {
  const { directory } = log(context);
  const intents = await run('show', [directory], { kind: 'intent' });
  assert.equal(
    intents.out,
    '2026-11-20T10:00:01.000Z      2 intent   alice/ci@192.0.2.1 files/chown /srv/\\x1b[2J\\nx [paths: /srv]\n',
  );
  const json = await run('show', [directory], { user: 'alice', json: 'true', since: '2026-11-20T10:00:02Z' });
  assert.equal((JSON.parse(json.out) as { seq: number }).seq, 3);
  await assert.rejects(run('show', [directory], { kind: 'x' }), { exit: 64 });
  await assert.rejects(run('show', [directory], { since: 'yesterday' }), { exit: 64 });
});

test('moments', () => {
  const now = Date.parse('2026-11-20T10:00:00Z');
  assert.equal(readMoment('since', '90m', now), now - 5_400_000);
  assert.equal(readMoment('since', '2d', now), now - 172_800_000);
  assert.equal(readMoment('since', '2026-11-20', now), Date.parse('2026-11-20T00:00:00Z'));
});
