/** The file of contexts when several processes change it at once: no context is lost, and each keeps the token that belongs to it. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeHome, type Home } from '../support/ctl.ts';
import { startPair, type Pair } from '../support/pair.ts';

const NAMES = Array.from({ length: 8 }, (_, at) => `host${at}`);

let pair: Pair;
let home: Home;
before(async () => {
  pair = await startPair({ users: ['ops', 'guest'] });
  home = makeHome();
});
after(async () => {
  await pair.stop();
  home.remove();
});

const login = (name: string, user: string): ReturnType<Home['run']> => {
  const pin = ['--fingerprint', new X509Certificate(pair.ca).fingerprint256];
  return home.run(['login', pair.url, name, ...pin], { input: `${pair.token(user)}\n` });
};
const listed = async (): Promise<{ name: string; current: boolean }[]> => {
  const { out } = await home.run(['context', 'list']);
  return [...out.matchAll(/^([*-]) +(host\d|one)\b/gm)].map(([, star, name = '']) => ({ name, current: star === '*' }));
};

test('logins at the same time make all their contexts, and one of them is the current one', async () => {
  for (const { exit, err } of await Promise.all(NAMES.map((name) => login(name, 'ops')))) assert.deepEqual([exit, err], [0, '']);
  const contexts = await listed();
  assert.deepEqual(contexts.map(({ name }) => name).sort(), NAMES);
  assert.equal(contexts.filter(({ current }) => current).length, 1);
  assert.equal(statSync(join(home.directory, '.config/steward/config.yaml')).mode & 0o777, 0o600);
});

test('contexts removed at the same time are gone, from their groups too', async () => {
  const path = join(home.directory, '.config/steward/config.yaml');
  const groups = `groups:\n  all: [${NAMES.join(', ')}]\n`;
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, `${text}${groups}`);
  const [kept = '', ...others] = NAMES;
  for (const { exit, err } of await Promise.all(others.map((name) => home.run(['context', 'remove', name]))))
    assert.deepEqual([exit, err], [0, '']);
  assert.deepEqual(
    (await listed()).map(({ name }) => name),
    [kept],
  );
  assert.match(readFileSync(path, 'utf8'), new RegExp(`^  all:\\s+(\\[ *)?(- )?${kept}\\b`, 'm'));
});

test('two logins under one name leave one whole context', async () => {
  await Promise.all(['ops', 'guest'].map((user) => login('one', user)));
  const { exit, out } = await home.run(['context', 'use', 'one']);
  assert.deepEqual([exit, out], [0, '']);
  const answer = await home.run(['load-average', 'cpu']);
  assert.equal(answer.exit, 0, answer.err);
});
