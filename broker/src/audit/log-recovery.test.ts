/** What a crash leaves of the audit log, and what the next start makes of it: no promised record is lost, and what was not finished is named. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { logPlace, openLog, records, refusal, segments } from '../../../test/support/audit-logs.ts';

// abuse 104: broker
test('an unfinished last line stays and is accounted for', async (context) => {
  const directory = logPlace(context);
  await (await openLog(directory)).close();
  const file = join(directory, segments(directory)[0]!);
  appendFileSync(file, '{"seq":3,"time":"2026');
  assert.equal((await verifyAudit(directory)).state, 'truncated');
  const log = await openLog(directory);
  await log.close();
  assert.match(readFileSync(file, 'utf8'), /\n\{"seq":3,"time":"2026$/);
  const kinds = (await records(directory)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['start', 'stop', 'recovered', 'start', 'stop']);
  assert.equal((await verifyAudit(directory)).state, 'good');
  writeFileSync(file, `${readFileSync(file, 'utf8').slice(0, -1)}7`);
  assert.equal((await verifyAudit(directory)).state, 'altered');
});

test('a log whose end is no record refuses everything and says why', async (context) => {
  const directory = logPlace(context);
  await (await openLog(directory)).close();
  const [name] = segments(directory);
  appendFileSync(join(directory, name!), 'nonsense\n');
  const log = await openLog(directory);
  assert.equal(await refusal(log.append({ kind: 'intent' })), `the last line of ${name!} is not a record`);
  await log.close();
});

/** A child that records intents as fast as it can and says each number that was promised to it. */
const WRITER = `
  import { AuditLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)};
  const log = await AuditLog.open({ directory: process.argv[1], segmentBytes: 65536, tableDigest: '' });
  const one = async () => { for (;;) process.stdout.write(await log.append({ kind: 'intent', op: 'files/chown', user: 'alice' }) + '\\n'); };
  await Promise.all(Array.from({ length: 16 }, one));
`;

// abuse 104: broker
test('kill -9 loses no promised record, and the next start names what was not finished', async (context) => {
  const directory = logPlace(context);
  const child = spawn(process.execPath, ['--input-type=module', '-e', WRITER, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.length > 3000) child.kill('SIGKILL');
  });
  await once(child, 'close');
  const promised = said.split('\n').slice(0, -1).map(Number);
  const before = new Set((await records(directory)).map(({ seq }) => seq));
  assert.deepEqual(
    promised.filter((seq) => !before.has(seq)),
    [],
  );
  const log = await openLog(directory);
  await log.append({ kind: 'refusal' });
  for (
    let wait = 0;
    wait < 200 && (await records(directory)).filter(({ kind }) => kind === 'aborted').length < promised.length;
    wait += 1
  ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await log.close();
  const after = await records(directory);
  const intents = after.filter(({ kind }) => kind === 'intent').map(({ seq }) => seq);
  const aborted = after.filter(({ kind }) => kind === 'aborted');
  assert.deepEqual(
    aborted.map(({ intent }) => intent),
    intents,
  );
  const start = after.findLast(({ kind }) => kind === 'start')?.seq ?? Number.NaN;
  assert.ok(aborted.every(({ user, op, seq }) => user === 'alice' && op === 'files/chown' && seq > start));
  assert.equal((await verifyAudit(directory)).state, 'good');
});

test('a start that ends before it has named what was not finished leaves that to the next one', async (context) => {
  const killed = logPlace(context);
  const log = await openLog(killed);
  const intents = Array.from({ length: 5000 }, () => log.append({ kind: 'intent', op: 'files/chown' }));
  await Promise.all(intents); // so many that they cannot all be read while the log is being opened
  const directory = `${killed}-copy`;
  cpSync(killed, directory, { recursive: true, verbatimSymlinks: true });
  chmodSync(directory, 0o700);
  await log.close();
  await (await openLog(directory)).close();
  const next = await openLog(directory);
  const aborted = async (): Promise<number> => (await records(directory)).filter(({ kind }) => kind === 'aborted').length;
  for (let wait = 0; wait < 100 && (await aborted()) < intents.length; wait += 1)
    await new Promise((resolve) => setTimeout(resolve, 300));
  await next.close();
  assert.equal(await aborted(), intents.length);
});
