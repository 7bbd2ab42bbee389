/** Crontabs of a booted host through a real cron: own, other, conflicts, rejected files. Compared with crontab(1). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { bootedHost } from '../support/host/suite.ts';
import { output } from '../support/inside/inside.ts';

const host = bootedHost({
  grants: `  ops:
    tools:
      cron/manage: {allowed: true, users: {www-data: {edit: true}, games: {view: true}, root: {view: true}}}
`,
  users: ['ops', 'alice', 'stranger'],
  accounts: ['ops', 'alice'],
});
const { skip } = host;

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const NOTHING = hash('');

test('crontabs of others', { skip }, async () => {
  for (const account of ['games', 'root']) {
    const { status } = await host.run(['crontab', '-u', account, '-'], `# of ${account}\n5 4 * * * true\n`);
    assert.equal(status, 0);
  }
});

const ask = async (user: string, args: Record<string, unknown>) => (await host.as(user)).call('cron/manage', args);
const held = async (account: string): Promise<string> => (await host.run(['crontab', '-u', account, '-l'])).stdout;

test('the own crontab is read, replaced and cleared without a grant', { skip }, async () => {
  assert.equal((await ask('alice', {})).text, '');
  const first = await ask('alice', { content: '# mine\n*/5 * * * * true' });
  const now = '# mine\n*/5 * * * * true\n';
  assert.equal(first.text, `Crontab of alice replaced: 2 lines, sha256 ${hash(now)} (was ${NOTHING})`);
  assert.equal(await held('alice'), now);
  assert.equal((await ask('alice', { user: 'alice' })).text, now);
  const json = JSON.parse((await ask('alice', { output_format: 'json' })).text) as object;
  assert.deepEqual(json, { user: 'alice', exists: true, lines: 2, jobs: 1, bytes: now.length, sha256: hash(now), content: now });
  assert.match(await output(host, 'stat', '--format=%U %a', '/var/spool/cron/crontabs/alice'), /^alice 600$/);
  assert.equal(
    (await ask('alice', { content: '' })).text,
    `Crontab of alice replaced: 0 lines, sha256 ${NOTHING} (was ${hash(now)})`,
  );
  assert.equal((await host.run(['crontab', '-u', 'alice', '-l'])).status, 1);
});

test('whoever is no account has none', { skip }, async () => {
  assert.equal((await ask('stranger', {})).text, 'user stranger has no OS account on this host, so there is no own crontab');
});

test('a file that cron rejects changes nothing', { skip }, async () => {
  await ask('alice', { content: 'A=1\n' });
  const { text, isError } = await ask('alice', { content: '0 1 * * * true\nnonsense\n' });
  assert.equal(isError, true);
  assert.match(text, /^crontab rejected the file - the old crontab is unchanged: "-":\d+: bad minute\n/);
  const dry = await ask('alice', { content: '0 1 * * * true\nnonsense\n', dry_run: true });
  assert.equal(dry.text, 'crontab rejected the file - the old crontab is unchanged: line 2: bad minute');
  const good = await ask('alice', { content: '0 1 * * * true\n@daily x\n', dry_run: true });
  const [before_, after_] = [hash('A=1\n'), hash('0 1 * * * true\n@daily x\n')];
  assert.equal(good.text, `Dry run: crontab of alice would change from 1 to 2 lines, sha256 ${before_} -> ${after_}`);
  assert.equal(await held('alice'), 'A=1\n');
});

// abuse 87: frontend
test('stale hashes conflict, and of two writes at once one wins', { skip }, async () => {
  const stale = await ask('alice', { content: 'B=1\n', if_match: NOTHING });
  const expected = `the crontab changed since you read it (its sha256 is now ${hash('A=1\n')}, you passed ${NOTHING}) - read it again`;
  assert.deepEqual([stale.text, stale.code], [expected, 'CONFLICT']);
  assert.equal((await ask('alice', { content: '', if_match: 'x' })).text, 'if_match must be 64 hexadecimal digits');
  const if_match = hash('A=1\n');
  const both = await Promise.all([ask('alice', { content: 'C=1\n', if_match }), ask('alice', { content: 'D=1\n', if_match })]);
  assert.deepEqual(both.map(({ isError }) => isError).sort(), [false, true]);
  assert.match(await held('alice'), /^[CD]=1\n$/);
});

test("other accounts' crontabs follow the rules", { skip }, async () => {
  const other = (user: string, more: Record<string, unknown> = {}) => ask('ops', { user, privileged: true, ...more });
  assert.equal((await other('games')).text, '# of games\n5 4 * * * true\n');
  assert.equal((await other('root')).text, '# of root\n5 4 * * * true\n');
  const written = await other('www-data', { content: '1 2 3 4 5 true\n' });
  assert.match(written.text, /^Crontab of www-data replaced: 1 lines, sha256 /);
  assert.equal(await held('www-data'), '1 2 3 4 5 true\n');
  const refusals: readonly (readonly [Record<string, unknown>, string])[] = [
    [{ user: 'games', content: '' }, "user ops may not edit games's crontab: the cron/manage grant gives games view only"],
    [{ user: 'root', content: '' }, "root's crontab may be viewed but never edited through steward"],
    [{ user: 'alice' }, "user ops may not view alice's crontab: no rule for it in the cron/manage grant (users:)"],
    [{ user: 'alice', content: '' }, "user ops may not edit alice's crontab: no rule for it in the cron/manage grant (users:)"],
    [{ user: 'nobody-here' }, 'no account named nobody-here on this host'],
    [{ user: '-l' }, 'invalid account name "-l"'],
    [{ user: '../root' }, 'invalid account name "../root"'],
  ];
  for (const [args, expected] of refusals) {
    const { text, isError } = await ask('ops', { privileged: true, ...args });
    assert.deepEqual([text, isError], [expected, true]);
  }
  assert.equal(
    (await ask('ops', { user: 'games' })).text,
    "another account's crontab needs privileged: true and a rule for games in your cron/manage grant (users: {games: {view: true}})",
  );
  assert.equal(
    (await ask('alice', { user: 'games', privileged: true })).text,
    'user alice is not authorized to run cron/manage on another account: no cron/manage grant with allowed: true in grants.yaml',
  );
});

test('a list names accounts with a rule and a crontab', { skip }, async () => {
  const { text } = await ask('ops', { privileged: true });
  const rows = text.split('\n').map((line) => line.split(/ +/).slice(0, 2).join(' '));
  assert.deepEqual(rows, ['USER LINES', 'games 2', 'root 2', 'www-data 1']);
  const json = JSON.parse((await ask('ops', { privileged: true, output_format: 'json' })).text) as {
    user: string;
    modified: string;
  }[];
  for (const { user, modified } of json) {
    const truth = await output(host, 'stat', '--format=%Y', `/var/spool/cron/crontabs/${user}`);
    assert.equal(Date.parse(modified) / 1000, Number(truth));
  }
  assert.equal(
    (await ask('alice', { privileged: true })).text,
    'user alice is not authorized to list crontabs: no cron/manage grant with allowed: true in grants.yaml',
  );
});

// abuse 88: frontend
test('content that is none, too long, or has NUL', { skip }, async () => {
  assert.equal((await ask('alice', { content: 7 })).text, 'content must be a string (an empty string clears the crontab)');
  assert.equal((await ask('alice', { content: 'x'.repeat(65_537) })).text, 'content is 65537 bytes, the limit is 65536');
  assert.equal((await ask('alice', { content: 'a\0\n' })).text, 'content must not contain NUL bytes');
});

test('the resource', { skip }, async () => {
  const read = async (user: string, uri: string) => (await host.as(user)).rpc('resources/read', { uri });
  const text = async (user: string, uri: string) => ((await read(user, uri)).result?.['contents'] as { text: string }[])[0]?.text;
  assert.equal(await text('ops', 'crontab://games/text'), '# of games\n5 4 * * * true\n');
  const info = JSON.parse((await text('alice', 'crontab://alice/info')) ?? '') as { user: string; sha256: string };
  assert.deepEqual([info.user, info.sha256], ['alice', hash(await held('alice'))]);
  const refused = (await read('alice', 'crontab://games/info')).error?.message;
  assert.match(refused ?? '', /^user alice is not authorized to run cron\/manage on another account/);
  assert.match((await read('ops', 'crontab://alice/info')).error?.message ?? '', /^user ops may not view alice's crontab/);
  assert.match((await read('ops', 'crontab://games/raw')).error?.message ?? '', /^unsupported view "raw"/);
});

test('what was written is on record, its content only as size and hash', { skip }, async () => {
  const audit = await host.audit();
  assert.match(audit, /"op":"cron\/manage".*"object":"crontab of www-data".*"rule":"users: www-data/);
  assert.match(audit, /"upload":\{"size":15,"sha256":"[0-9a-f]{64}"\}/);
  assert.doesNotMatch(audit, /1 2 3 4 5 true/);
});
