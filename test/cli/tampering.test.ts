/**
 * What an auditor sees of a log that somebody has worked on: logs of the shipped broker, tampered with in each way there is, judged by
 * the built stewardctl with nothing but the key that was noted when the log began. Every verdict has its exit status, and one line
 * that says what is wrong and where.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { GENESIS, type AuditRecord } from '@steward/shared/audit/record.ts';
import { makeSeal } from '@steward/shared/audit/seal-keys.ts';
import { makeHome as makeCtl, type Ran } from '../support/ctl.ts';
import { makeHome, startBroker, type BrokerHome } from '../support/raw-broker.ts';

const [ALTERED, TRUNCATED] = [1, 2];
const CALLS = 6;

const ctl = makeCtl();
const scratch = mkdtempSync(join(tmpdir(), 'steward-tampering-'));
let home: BrokerHome;
let other: BrokerHome;

/** Three runs, each with a segment of its own that ends with a seal. */
async function recorded(): Promise<BrokerHome> {
  const made = makeHome('');
  for (let run = 0; run < 3; run += 1) {
    const { client, stop } = await startBroker(made, { bundle: true });
    await client.hello();
    await client.open(made.token('ops'));
    for (let call = 0; call < CALLS; call += 1) await client.call('auth/sudo-rules');
    assert.equal(await stop(), 0);
  }
  return made;
}

before(async () => {
  [home, other] = [await recorded(), await recorded()];
  cpSync(join(home.auditDir, 'seal.pub'), join(scratch, 'first'));
});
after(() => {
  for (const made of [home, other, ctl]) made.remove();
  rmSync(scratch, { recursive: true });
});

const segmentsOf = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);

interface Copy {
  readonly directory: string;
  readonly names: readonly string[];
  /** Replaces the lines of a segment. */
  change(segment: number, change: (lines: string[]) => string[]): void;
  /** What stewardctl says, with the key that was noted first unless told otherwise. */
  verify(...more: readonly string[]): Promise<Ran>;
}

let copies = 0;
function copy(): Copy {
  const directory = join(scratch, String((copies += 1)));
  cpSync(home.auditDir, directory, { recursive: true });
  const names = segmentsOf(directory);
  return {
    directory,
    names,
    change: (segment, change) => {
      const path = join(directory, names[segment] ?? '');
      writeFileSync(
        path,
        change(linesOf(path))
          .map((line) => `${line}\n`)
          .join(''),
      );
    },
    verify: (...more) => ctl.run(['audit', 'verify', directory, '--key', join(scratch, 'first'), ...more]),
  };
}

/** The verdict is that one, about that line of that segment, in one line. */
function judged({ exit, out, err }: Ran, status: number, place: string, words: RegExp): void {
  assert.equal(err, '');
  const [said = '', ...more] = out.trimEnd().split('\n');
  assert.deepEqual(more, []);
  const verdict = status === ALTERED ? 'altered' : 'truncated';
  assert.ok(said.startsWith(`${verdict}: ${place}: `), said);
  assert.match(said.slice(`${verdict}: ${place}: `.length), words);
  assert.equal(exit, status);
}

test('untouched it is good', async () => {
  const { exit, out } = await copy().verify();
  assert.equal(exit, 0);
  assert.match(out, /^good: \d+ records, \d+ seals, .* the log is closed\nnote: steward-audit epoch \d+ key [0-9a-f]{64} after /);
});

test('a flipped byte', async () => {
  const whole = copy();
  whole.change(1, (lines) => lines.with(3, (lines[3] ?? '').replace('"user":"ops"', '"user":"opr"')));
  judged(await whole.verify(), ALTERED, `${whole.names[1] ?? ''}:5`, /^the hash of the line before does not fit$/);
  const broken = copy();
  broken.change(1, (lines) => lines.with(3, (lines[3] ?? '').replace('{', '[')));
  judged(await broken.verify(), ALTERED, `${broken.names[1] ?? ''}:4`, /^not a record$/);
});

test('a deleted, an inserted and a swapped line', async () => {
  const cases: readonly [(lines: string[]) => string[], line: number][] = [
    [(lines) => lines.toSpliced(3, 1), 4],
    [(lines) => lines.toSpliced(3, 0, lines[2] ?? ''), 4],
    [(lines) => lines.with(3, lines[4] ?? '').with(4, lines[3] ?? ''), 4],
  ];
  for (const [change, line] of cases) {
    const tampered = copy();
    tampered.change(1, change);
    judged(await tampered.verify(), ALTERED, `${tampered.names[1] ?? ''}:${line}`, /^record \d+ stands where \d+ belongs$/);
  }
});

test('a tail that was cut off', async () => {
  const cut = copy();
  cut.change(2, (lines) => lines.slice(0, -1));
  const later = new Date(Date.now() + 3_600_000).toISOString();
  judged(
    await cut.verify('--at', later),
    TRUNCATED,
    'the end',
    /^the log is open, its last seal is \d+ s old, \d+ records behind it$/,
  );
  const torn = copy();
  const path = join(torn.directory, torn.names[2] ?? '');
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, -7));
  judged(await torn.verify(), TRUNCATED, `${torn.names[2] ?? ''}:${linesOf(path).length + 1}`, /^the last line is unfinished$/);
});

test('a last run that is gone altogether is missed by what was noted after it', async () => {
  const { out } = await copy().verify();
  writeFileSync(join(scratch, 'noted'), readFileSync(join(scratch, 'first'), 'utf8') + out);
  const cut = copy();
  rmSync(join(cut.directory, cut.names[2] ?? ''));
  assert.equal((await cut.verify()).exit, 0, 'the run before it ended in order: the log alone cannot tell');
  const known = await ctl.run(['audit', 'verify', cut.directory, '--key', join(scratch, 'noted')]);
  judged(known, TRUNCATED, 'the end', /^the log was seen with epoch \d+ behind record \d+: not here$/);
});

test('a segment that is missing in between', async () => {
  const cut = copy();
  rmSync(join(cut.directory, cut.names[1] ?? ''));
  judged(await cut.verify(), TRUNCATED, `${cut.names[2] ?? ''}:1`, /^segment 2 of the log: not here$/);
});

test('a segment of another log in its place', async () => {
  const spliced = copy();
  const foreign = join(other.auditDir, segmentsOf(other.auditDir)[1] ?? '');
  spliced.change(1, () => linesOf(foreign));
  judged(await spliced.verify(), ALTERED, `${spliced.names[1] ?? ''}:1`, /^the hash of the line before does not fit$/);
});

/** The whole log with another user in it, chained and sealed anew with the keys in that directory. */
function forge(log: Copy, keys: string): void {
  let prev = GENESIS;
  for (const index of log.names.keys()) {
    log.change(index, (lines) =>
      lines.map((line) => {
        const record = { ...(JSON.parse(line) as AuditRecord), prev };
        const { seal } = record;
        const again = seal === undefined ? record : { ...record, seal: makeSeal(keys, { ...seal, hash: prev }) };
        const text = JSON.stringify(again).replaceAll('"user":"ops"', '"user":"guest"');
        prev = createHash('sha256').update(text).digest('hex');
        return text;
      }),
    );
  }
}

test("a past that was written and sealed again with today's keys", async () => {
  const stolen = readdirSync(join(home.stateDir, 'audit-seal')).filter((name) => name.endsWith('.key'));
  assert.equal(stolen.length, 1, 'there is no other key to be found');
  const today = stolen[0] ?? '';
  const words: readonly [as: string, status: number, words: RegExp][] = [
    ['1.key', ALTERED, /^not signed with the key of epoch 1$/],
    [today, TRUNCATED, /^the seals? of epochs? 1.*, and what was sealed with (it|them): not here$/],
  ];
  for (const [as, status, said] of words) {
    const keys = join(scratch, `stolen-as-${as}`);
    mkdirSync(keys);
    cpSync(join(home.stateDir, 'audit-seal', today), join(keys, as));
    const forged = copy();
    forge(forged, keys);
    const [name = ''] = forged.names;
    const first = linesOf(join(forged.directory, name)).findIndex((line) => line.includes('"kind":"seal"'));
    judged(await forged.verify(), status, `${name}:${first + 1}`, said);
  }
});
