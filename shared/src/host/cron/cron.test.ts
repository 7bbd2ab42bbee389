/** Proves what counts as a job, what is a mistake, and whose crontabs are found. Verdicts were compared with crontab of Debian 12. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { failsWith, withTree } from '../../testing/context.ts';
import { scriptedPrograms } from '../../testing/scripted-programs.ts';
import { crontabFacts, installCrontab, readCrontab } from './crontab.ts';
import { findCrontabs } from './spool.ts';
import { crontabMistake } from './syntax.ts';

test('lines and jobs', () => {
  const text = '# a comment\n\nMAILTO=root\nPATH = /bin\n"A B"="c"\n  0 1 * * * run --x=1\n@daily x\n* * * * * A=b x\n';
  const { lines, jobs, bytes, sha256 } = crontabFacts(Buffer.from(text));
  assert.deepEqual([lines, jobs, bytes], [8, 3, text.length]);
  assert.match(sha256, /^[0-9a-f]{64}$/);
  assert.equal(crontabFacts(Buffer.from('a b')).lines, 1);
  assert.equal(crontabFacts(Buffer.from('\n')).lines, 1);
  const none = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  assert.deepEqual(crontabFacts(undefined), { lines: 0, jobs: 0, bytes: 0, sha256: none });
});

test('what cron takes', () => {
  const good = [
    ...['* * * * * x', '1-5/2 * * * * x', '*/5 0,12 1-15 jan-mar sun x', '0 0 1 JAN mon-fri x', '* * * * 7 x', '* * * * 5-7 x'],
    ...[
      '00005 * * * * x',
      '\t0 0 * * * x',
      '@reboot x',
      '@daily',
      'A = b',
      '"A B"=c',
      "'x'=1",
      'a=b=c',
      '# x',
      '   ',
      '* * * * *',
    ],
    ...['0\t0 * *  * x', '* * * * * a%b'],
  ];
  for (const line of good) assert.equal(crontabMistake(`${line}\n`), undefined, line);
  assert.equal(crontabMistake(`${good.join('\n')}\n`), undefined);
  assert.equal(crontabMistake(''), undefined);
});

test('what it does not', () => {
  const bad = {
    '60 * * * * x': 'bad minute',
    '5/10 * * * * x': 'bad minute',
    '*/0 * * * * x': 'bad minute',
    '1,,2 * * * * x': 'bad minute',
    '1, * * * * x': 'bad minute',
    '~ * * * * x': 'bad minute',
    '-1 * * * * x': 'bad minute',
    '5-1 * * * * x': 'bad minute',
    '1-2-3 * * * * x': 'bad minute',
    foo: 'bad minute',
    '* 24 * * * x': 'bad hour',
    '* * 0 * * x': 'bad day-of-month',
    '* * 32 * * x': 'bad day-of-month',
    '* * * 0 * x': 'bad month',
    '* * * sun * x': 'bad month',
    '* * * * 8 x': 'bad day-of-week',
    '* * * *': 'bad day-of-week',
    '@foo x': 'bad time specifier',
    '@DAILY x': 'bad time specifier',
  };
  for (const [line, mistake] of Object.entries(bad)) assert.equal(crontabMistake(`A=b\n${line}\n`), `line 2: ${mistake}`, line);
});

test('crontabs are found by name, of the accounts that are asked for alone', async () => {
  const spool = 'var/spool/cron/crontabs';
  await withTree({ [`${spool}/alice`]: '', [`${spool}/bob`]: '', 'etc/crontabs/carol': '' }, async (root) => {
    mkdirSync(join(root, spool, 'dave'));
    symlinkSync('alice', join(root, spool, 'erin'));
    utimesSync(join(root, spool, 'alice'), 0, 1_795_186_642);
    assert.deepEqual(findCrontabs(root, ['erin', 'dave', 'carol', 'nobody', 'alice']), [
      { account: 'alice', modified: '2026-11-20T14:57:22Z' },
    ]);
    assert.deepEqual(findCrontabs(join(root, 'none'), ['alice']), []);
  });
  await withTree({ 'etc/crontabs/carol': '' }, async (root) => assert.equal(findCrontabs(root, ['carol', 'alice']).length, 1));
});

test('what crontab(1) says', async () => {
  const none = scriptedPrograms(() => ({ status: 1, stderr: 'no crontab for games\n' }));
  assert.equal(await readCrontab(none, 'games'), undefined);
  await installCrontab(none, 'games', Buffer.alloc(0));
  assert.deepEqual(none.lines(), ['crontab -u games -l', 'crontab -u games -r']);
  const broken = scriptedPrograms(() => ({ status: 1, stderr: 'crontabs/games/: fopen: Permission denied\n' }));
  await assert.rejects(readCrontab(broken, 'games'), { message: 'crontab failed: crontabs/games/: fopen: Permission denied' });
  await assert.rejects(installCrontab(broken, 'games', Buffer.alloc(0)), failsWith('program_failed'));
  const strict = scriptedPrograms(() => ({ status: 1, stderr: '"-":1: bad minute\nerrors in crontab file, can\'t install.\n' }));
  await assert.rejects(installCrontab(strict, 'games', Buffer.from('x\n')), {
    message:
      'crontab rejected the file - the old crontab is unchanged: "-":1: bad minute\nerrors in crontab file, can\'t install.',
  });
  assert.equal(strict.asked[0]?.input?.toString(), 'x\n');
  await assert.rejects(
    readCrontab(
      scriptedPrograms(() => undefined),
      'games',
    ),
    {
      message: 'crontab not found on this host - install cron',
    },
  );
});
