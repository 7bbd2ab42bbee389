/**
 * Trees that are made to be too much: directories 300 deep, and a million entries in one directory. Through the frontend and straight
 * at the broker they are walked in bounded memory, a walk ends when it is told to, and the other calls do not notice.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { doorFrame, fileGrants, type Opening } from '../support/door-frame.ts';
import { eventually, isRoot } from '../support/pair.ts';

const skip = !isRoot && 'needs root to mount a file system';
const ENTRIES = 1_000_000;
const DEPTH = 300;
/** What a process may hold more than before at its peak, in KiB: far less than the names of a million entries with all about them. */
const MOST_KB = 512 * 1024;

const frame = doorFrame({ name: 'large', prepare, undo: () => execFileSync('umount', ['--lazy', wide]) });
const { base } = frame;
const [wide, deep] = [join(base, 'wide'), join(base, 'deep')];
const bottom = join(deep, ...Array.from({ length: DEPTH }, (_, level) => `d${level % 10}`));

/** Names of one file: a million of them are made in seconds, and gone with the file system. */
const LINKS = `
import os, sys
directory = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECTORY)
os.close(os.open("0", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=directory))
for number in range(1, int(sys.argv[2])):
    os.link("0", str(number), src_dir_fd=directory, dst_dir_fd=directory)
`;

function prepare(): Opening {
  mkdirSync(wide);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,nr_inodes=0,mode=0755', 'tmpfs', wide]);
  execFileSync('python3', ['-c', LINKS, wide, String(ENTRIES)]);
  mkdirSync(bottom, { recursive: true });
  writeFileSync(join(bottom, 'file'), 'x', { mode: 0o600 });
  return { grants: fileGrants(base, ['list', 'find', 'chmod']), searched: deep };
}

/** Peak of resident memory of both brokers and the frontend, in KiB. */
function peaks(): number[] {
  const pids = [
    ...frame.doors.pair.pids('steward-broker'),
    frame.doors.broker.child.pid,
    ...frame.doors.pair.pids('steward-frontend'),
  ];
  return pids.map((pid) => Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]));
}

// abuse 72: both doors
test('a tree 300 deep is walked to its end, and changed', { skip }, async () => {
  for (const { door, code, text } of await frame.doors.call('files/find', { path: deep, name: 'file' })) {
    assert.equal(code, 'OK', `the ${door}: ${text}`);
    assert.ok(text.includes(bottom), `the ${door} found it`);
  }
  for (const [door, mode] of ['u+x', 'g+r'].entries()) {
    const { code, text } = await frame.doors.callAt(door, 'files/chmod', { path: deep, mode, recursive: true });
    assert.equal(code, 'OK', text);
  }
  assert.equal(statSync(join(bottom, 'file')).mode & 0o777, 0o740);
});

test('a million entries are searched in bounded memory', { skip, timeout: 280_000 }, async (context) => {
  const before = peaks();
  for (const { door, code, text } of await frame.doors.call('files/find', { path: wide, name: '999999' })) {
    assert.equal(code, 'OK', text);
    assert.ok(text.includes('999999'), `the ${door}: ${text.slice(0, 300)}`);
  }
  const grown = peaks().map((peak, index) => peak - (before[index] ?? 0));
  context.diagnostic(`at their peaks the broker, the one alone and the frontend held ${grown.join(', ')} KiB more`);
  assert.ok(Math.max(...grown) < MOST_KB, `${grown.join(', ')} KiB`);
});

test(
  'a list of them is stopped when nobody wants it any more, and others are served meanwhile',
  { skip, timeout: 280_000 },
  async () => {
    const { client } = frame.doors.broker;
    const id = client.nextId();
    const answer = client.answer(id);
    client.start('files/list', { path: wide }, { id, deadlineMs: 200_000 });
    await eventually(
      () => frame.doors.home.records().some(({ kind, args }) => kind === 'intent' && args?.['path'] === wide),
      60_000,
    );
    assert.equal((await client.call('files/list', { path: deep })).key, undefined);
    client.send({ type: 'cancel', id });
    assert.equal((await answer).key, 'cancelled');

    const other = await frame.doors.pair.connect('ops');
    const call = {
      jsonrpc: '2.0',
      id: 'list',
      method: 'tools/call',
      params: { name: 'files/list', arguments: { path: wide, privileged: true } },
    };
    const outcome = (): string | undefined => {
      const records = frame.doors.pair.records();
      const intent = records.find(({ kind, op, object }) => kind === 'intent' && op === 'files/list' && object === wide);
      return records.find((record) => record.kind === 'outcome' && record.intent === intent?.seq)?.code ?? (intent && '');
    };
    await other.post(JSON.stringify(call));
    await eventually(() => outcome() !== undefined, 60_000);
    other.close();
    assert.equal(await eventually(() => outcome() || undefined, 60_000), 'CANCELLED');
    await frame.doors.checkNothingIsLeft();
  },
);
