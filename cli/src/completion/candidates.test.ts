/** What is offered at the end of a line that is being typed. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Catalogue, type Asking } from './catalogue.ts';
import { complete, wordsOf } from './candidates.ts';
import { commandsWith, firstWords } from '../manual/all.ts';

const entry = (name: string, verb: string, properties: object, required: string[] = []): object => ({
  name,
  tools_group: name.split('/')[0],
  cli_verb: verb,
  description: `about ${name}`,
  inputSchema: { type: 'object', properties, required },
});
const LISTS = {
  tools: [
    entry(
      'files/list',
      'list',
      { path: { type: 'string' }, sort: { type: 'string', enum: ['name', 'size'] }, all: { type: 'boolean' } },
      ['path'],
    ),
    entry('system/service', 'service', { service: { type: 'string' }, action: { type: 'string', enum: ['start', 'stop'] } }, [
      'service',
      'action',
    ]),
    entry('logs/journal', 'journal', { unit: { type: 'string' } }),
    entry('network/ping', 'ping', { host: { type: 'string' } }, ['host']),
  ],
  resources: [{ uri: 'os://uname', name: 'uname', tools_group: 'system', cli_verb: 'uname' }],
  templates: [
    { uriTemplate: 'file:///{path}', name: 'file', tools_group: 'files', cli_verb: 'cat' },
    { uriTemplate: 'service://{name}/status', name: 'status', tools_group: 'system', cli_verb: 'status' },
  ],
};

const home = mkdtempSync(join(tmpdir(), 'stewardctl-complete-'));
after(() => rmSync(home, { recursive: true }));
const env = { HOME: home };
let asked = 0;
const asking: Asking = {
  lists: () => {
    asked += 1;
    return Promise.resolve(LISTS);
  },
  values: (_uri, _name, value) => {
    asked += 1;
    return Promise.resolve(['nginx.service', 'ssh.service'].filter((one) => one.startsWith(value)));
  },
};

async function offered(line: string, ask = asking): Promise<string[]> {
  const catalogue = new Catalogue(env, 'target', ask);
  const { candidates, files } = await complete(line.split(' '), {
    words: firstWords(),
    commands: commandsWith,
    catalogue,
    contexts: () => Promise.resolve(['lab', 'web']),
  });
  return [...candidates.map(({ word }) => word), ...(files ? [':files'] : [])];
}

test('verbs and commands, then groups and second words', async () => {
  assert.deepEqual(await offered('li'), ['list']);
  assert.deepEqual(await offered('us'), ['users']);
  assert.ok((await offered('')).includes('uname'));
  assert.deepEqual(await offered('list '), ['files']);
  assert.deepEqual(await offered('-p list '), ['files']);
  assert.deepEqual(await offered('--server x list '), ['files']);
  assert.deepEqual(await offered('ping '), ['network']);
  assert.deepEqual(await offered('users t'), ['token']);
  assert.deepEqual(await offered('users token '), ['add', 'remove', 'rotate']);
  assert.deepEqual(await offered('completion '), ['bash', 'fish', 'zsh']);
});

test('flags of the schema and of stewardctl, and their values', async () => {
  assert.deepEqual(await offered('list files --so'), ['--sort']);
  assert.deepEqual(await offered('list files --o'), ['--output']);
  assert.deepEqual(await offered('list files --sort '), ['name', 'size']);
  assert.deepEqual(await offered('list files --sort=s'), ['--sort=size']);
  assert.deepEqual(await offered('list files -o y'), ['yaml']);
  assert.deepEqual(await offered('--context '), ['lab', 'web']);
  assert.deepEqual(await offered('context use w'), ['web']);
  assert.deepEqual(await offered('list files /et'), [':files']);
  assert.deepEqual(await offered('users add x --no-r'), ['--no-reload']);
});

test('values that the server knows, for arguments of tools too', async () => {
  assert.deepEqual(await offered('service system ng'), ['nginx.service']);
  assert.deepEqual(await offered('service system nginx.service '), ['start', 'stop']);
  assert.deepEqual(await offered('journal logs --unit s'), ['ssh.service']);
  assert.deepEqual(await offered('status system '), ['nginx.service', 'ssh.service']);
});

test('the cache answers for five minutes, is for its owner alone, and another target has its own', async () => {
  await offered('list ');
  const before = asked;
  await offered('service system ng');
  assert.equal(asked, before);
  const [name = '', ...others] = readdirSync(join(home, '.cache/steward'));
  assert.deepEqual(others, []);
  const path = join(home, '.cache/steward', name);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(statSync(join(home, '.cache/steward')).mode & 0o777, 0o700);
  const kept = JSON.parse(readFileSync(path, 'utf8')) as { time: number };
  writeFileSync(path, JSON.stringify({ ...kept, time: kept.time - 5 * 60_000 }));
  await offered('list ');
  assert.equal(asked, before + 1);
  writeFileSync(path, '{');
  assert.deepEqual(await offered('list '), ['files'], 'a broken cache is made anew');
});

test('a server that does not answer leaves the commands of stewardctl', async () => {
  rmSync(join(home, '.cache'), { recursive: true });
  const down: Asking = { lists: () => Promise.reject(new Error('down')), values: () => Promise.reject(new Error('down')) };
  assert.deepEqual(await offered('us', down), ['users']);
  assert.deepEqual(await offered('grants l', down), ['list']);
});

test('usage texts say which words there are', () => {
  assert.deepEqual(wordsOf('list | use NAME | remove NAME'), ['list', 'use', 'remove']);
  assert.deepEqual(wordsOf('add|remove|rotate NAME ID'), ['add', 'remove', 'rotate']);
  assert.deepEqual(wordsOf('[slash | underscore]'), ['slash', 'underscore']);
  assert.deepEqual(wordsOf('NAME [key=value ...]'), []);
});
