/**
 * A thousand calls that end badly at every moment there is: cancelled, refused, failed, broken off in their upload. Afterwards the
 * broker has no descriptor, no child and no temporary file more, and the log knows how each of them ended.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/pair.ts';
import { makeHome, startBroker, type BrokerHome, type RawBroker } from '../support/raw-broker.ts';

let tree: string;
let home: BrokerHome;
let broker: RawBroker;

before(async () => {
  tree = mkdtempSync(join(tmpdir(), 'steward-leaks-'));
  for (let directory = 0; directory < 60; directory += 1) {
    mkdirSync(join(tree, `d${directory}`));
    for (let file = 0; file < 5; file += 1) writeFileSync(join(tree, `d${directory}/f${file}`), 'line\n');
  }
  writeFileSync(join(tree, 'big'), 'line of text\n'.repeat(100_000));
  const tools = ['list', 'read', 'find', 'filetype', 'create', 'update', 'chmod'].map((name) => `files/${name}`);
  home = makeHome(`  ops:\n    tools:\n${tools.map((tool) => `      ${tool}: {allowed: true, paths: ["${tree}"]}\n`).join('')}`);
  broker = await startBroker(home, { bundle: true });
  await broker.client.hello();
  await broker.client.open(home.token('ops'));
});
after(async () => {
  await broker.stop();
  home.remove();
  rmSync(tree, { recursive: true, force: true });
});

/** Operation, arguments, upload, and how much of the upload is sent. */
const CALLS = (): readonly [op: string, args: object, upload?: Buffer, sent?: number][] => [
  ['files/list', { path: tree }],
  ['files/find', { path: tree }],
  ['files/read', { path: join(tree, 'big'), limit: 10_000_000 }],
  ['files/chmod', { path: tree, mode: 'u+x', recursive: true }],
  ['files/create', { path: join(tree, 'new/a/b') }, Buffer.alloc(200_000, 97)],
  ['files/create', { path: join(tree, 'never') }, Buffer.alloc(3_000_000), 50_000],
  ['files/update', { path: join(tree, 'big'), start_line: 2, end_line: 3 }, Buffer.from('other\n')],
  ['files/read', { path: '/etc/hostname' }],
  ['files/read', { path: join(tree, 'missing') }],
  ['files/create', { path: tree }, Buffer.from('x')],
  ['files/chmod', { path: tree, mode: '999' }],
];

const pid = (): number => broker.child.pid ?? 0;
const descriptors = (): string[] => readdirSync(`/proc/${pid()}/fd`);

/** Starts a call, sends what of its upload is to be sent, and cancels it after a while. */
async function callAndCancel([op, args, upload, sent]: ReturnType<typeof CALLS>[number]): Promise<void> {
  const { client } = broker;
  const id = client.nextId();
  const answer = client.answer(id);
  client.start(op, args, { id, ...(upload === undefined ? {} : { upload }) });
  const part = upload?.subarray(0, sent ?? upload.length) ?? Buffer.alloc(0);
  for (let at = 0; at < part.length; at += 65_536) client.chunk(id, part.subarray(at, at + 65_536));
  if (upload !== undefined && part.length === upload.length) client.send({ type: 'end', id });
  await sleep(Math.random() * 20);
  client.send({ type: 'cancel', id });
  await answer;
}

// abuse 95: broker
test('nothing is left of a thousand calls that end badly', async (context) => {
  for (const call of CALLS()) await callAndCancel(call);
  await Promise.all([1, 2, 3].map(() => broker.client.call('files/find', { path: tree }))); // all workers are there
  const before = descriptors().length;
  const calls = CALLS();
  let made = 0;
  for (; made < 1000; made += 5) {
    await Promise.all(
      [0, 1, 2, 3, 4].map((n) => callAndCancel(calls[(made + n) % calls.length] ?? ['files/list', { path: tree }])),
    );
  }
  // a worker that was ended is replaced at the next walk; it has about ten descriptors of its own
  await eventually(() => descriptors().length <= before + 10, 10_000);
  assert.deepEqual(
    readdirSync(tree).filter((name) => name.startsWith('.')),
    [],
  );
  assert.equal(readFileSync(`/proc/${pid()}/task/${pid()}/children`, 'latin1').trim(), '');
  const records = home.records();
  const ended = new Set(records.flatMap(({ intent }) => (intent === undefined ? [] : [intent])));
  const intents = records.filter(({ kind }) => kind === 'intent');
  assert.ok(intents.every(({ seq }) => ended.has(seq)));
  assert.ok(intents.length + records.filter(({ kind }) => kind === 'refusal').length >= made);
  context.diagnostic(`${made} calls, ${before} descriptors before, ${descriptors().length} after`);
});
