/** stewardctl audit: exit codes of verify, filters and escaping of show. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { GENESIS, type AuditEntry } from '@steward/shared/audit/record.ts';
import { readMoment } from './audit-show.ts';
import { hostCommands } from './index.ts';

function log(context: { after(fn: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'steward-show-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const entries: AuditEntry[] = [
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
  ];
  let prev = GENESIS;
  const lines = entries.map((entry, index) => {
    const line = JSON.stringify({ seq: index + 1, time: `2026-11-20T10:00:0${index}.000Z`, prev, ...entry });
    prev = createHash('sha256').update(line).digest('hex');
    return `${line}\n`;
  });
  writeFileSync(join(directory, '20261120T100000Z-000001.jsonl'), lines.join(''));
  return directory;
}

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
  const directory = log(context);
  const good = await run('verify', [directory]);
  assert.equal(good.exit, 0);
  assert.match(good.out, /^good: 4 records, the last is 4 at 2026-11-20T10:00:03\.000Z; the log is closed\n$/);
  const file = join(directory, readdirSync(directory)[0]!);
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

test('show filters, and nothing in a record reaches the terminal as control', async (context) => {
  const directory = log(context);
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
