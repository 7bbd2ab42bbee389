/**
 * Logs that a broker has written, with something done to them: whatever it is, the verifier does not call them good. The last line is
 * left alone, because what it says of itself nothing after it confirms.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { fuzz } from '../support/fuzz/fuzz.ts';
import type { Random } from '../support/fuzz/random.ts';
import { makeHome, startBroker } from '../support/raw-broker.ts';

/** Lines with their newlines, by segment. */
type Log = ReadonlyMap<string, readonly Buffer[]>;

const scratch = mkdtempSync(join(tmpdir(), 'steward-tampered-'));
let log: Log;
let other: readonly Buffer[];

/** The log of two runs with some calls each. */
async function written(): Promise<Log> {
  const home = makeHome('');
  for (let run = 0; run < 2; run += 1) {
    const { client, stop } = await startBroker(home);
    await client.hello();
    await client.open(home.token('ops'));
    for (let call = 0; call < 12; call += 1) await client.call(call % 2 === 0 ? 'auth/sudo-rules' : 'disks/list');
    assert.equal(await stop(), 0);
  }
  const lines = new Map(readdirSync(home.auditDir).flatMap((name) => linesOf(join(home.auditDir, name))));
  home.remove();
  return lines;
}

function linesOf(path: string): [string, Buffer[]][] {
  if (!path.endsWith('.jsonl')) return [];
  const lines = readFileSync(path, 'latin1').match(/[^\n]*\n/g) ?? [];
  return [[path.slice(path.lastIndexOf('/') + 1), lines.map((line) => Buffer.from(line, 'latin1'))]];
}

before(async () => {
  log = await written();
  other = [...(await written()).values()].flat();
});
after(() => rmSync(scratch, { recursive: true }));

/** What is done to a list of lines; `last` is the number that may still be changed. */
type Tampering = (lines: Buffer[], last: number, random: Random) => Buffer[];

const TAMPERINGS: Readonly<Record<string, Tampering>> = {
  'a bit': (lines, last, random) => {
    const at = random.below(last);
    const line = Buffer.from(lines[at] ?? '');
    const byte = random.below(line.length);
    line[byte] = (line[byte] ?? 0) ^ (1 << random.below(8));
    return lines.with(at, line);
  },
  'a byte less': (lines, last, random) => {
    const at = random.below(last);
    const line = lines[at] ?? Buffer.alloc(0);
    const byte = random.below(line.length);
    return lines.with(at, Buffer.concat([line.subarray(0, byte), line.subarray(byte + 1)]));
  },
  'a byte more': (lines, last, random) => {
    const at = random.below(last);
    const line = lines[at] ?? Buffer.alloc(0);
    const byte = random.below(line.length);
    return lines.with(at, Buffer.concat([line.subarray(0, byte), random.bytes(1), line.subarray(byte)]));
  },
  'lines removed': (lines, last, random) => {
    const at = random.below(last);
    return lines.toSpliced(at, 1 + random.below(last - at));
  },
  'a line doubled': (lines, last, random) => {
    const at = random.below(last);
    return lines.toSpliced(at, 0, lines[at] ?? Buffer.alloc(0));
  },
  'two lines exchanged': (lines, last, random) => {
    const at = random.below(last - 1);
    const to = at + 1 + random.below(last - at - 1);
    return lines.with(at, lines[to] ?? Buffer.alloc(0)).with(to, lines[at] ?? Buffer.alloc(0));
  },
  'a line of another log': (lines, last, random) => lines.with(random.below(last), random.pick(other)),
  'the beginning of another log': (lines, last, random) => {
    const at = 1 + random.below(last);
    return [...other.slice(0, at), ...lines.slice(at)];
  },
  'another word': (lines, last, random) => {
    const at = random.below(last);
    const text = (lines[at] ?? '').toString('latin1');
    const words = text.match(/"[a-z_]{3,}"/g) ?? ['x'];
    return lines.with(at, Buffer.from(text.replace(random.pick(words), '"mallory"'), 'latin1'));
  },
};

test('a log as it was written is good', async () => {
  for (const [name, lines] of log) writeFileSync(join(scratch, name), Buffer.concat(lines));
  assert.equal((await verifyAudit(scratch)).state, 'good');
});

// abuse 102: broker
test('no tampering passes', async (context) => {
  await fuzz(context, { inputs: 1500, share: 0.1 }, async (random) => {
    const names = [...log.keys()].sort();
    const name = random.pick(names);
    const lines = [...(log.get(name) ?? [])];
    const what = random.pick(Object.keys(TAMPERINGS));
    const last = name === names.at(-1) ? lines.length - 1 : lines.length;
    const tampered = TAMPERINGS[what]?.(lines, last, random) ?? lines;
    const [before, now] = [Buffer.concat(lines), Buffer.concat(tampered)];
    if (before.equals(now)) return;
    writeFileSync(join(scratch, name), now);
    const { state, message } = await verifyAudit(scratch);
    assert.notEqual(state, 'good', `${what} in ${name}: ${message}`);
    writeFileSync(join(scratch, name), before);
  });
});
