/**
 * What a grant of everything does not reach, through the frontend and straight at the broker: steward's own files by any name, other
 * processes' memory and environment, the kernel's memory, disks, and the ways that procfs offers around a path.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Own } from '../support/both-doors.ts';
import { WRITES, doorFrame, fileGrants } from '../support/door-frame.ts';
import { isRoot, DIST } from '../support/pair.ts';

const skip = !isRoot && 'needs root: without it the kernel refuses most of this by itself';
const READS: typeof WRITES = [
  ['files/read', {}],
  ['files/filetype', {}],
];

const TOOLS = ['list', 'read', 'find', 'filetype', 'create', 'update', 'chmod', 'chown'];
const frame = doorFrame({ name: 'closed', prepare: () => ({ grants: fileGrants('/', TOOLS) }) });
const { base } = frame;

type Place = (own: Own) => string;

/** Every call on one object is refused with one of the codes at both doors. */
async function refused(place: Place, calls: typeof READS, codes: readonly string[]): Promise<void> {
  for (const [op, args, content] of calls) {
    const said = await frame.doors.call(op, (own) => ({ ...args, path: place(own) }), content);
    for (const { door, code, text } of said) {
      assert.ok(codes.includes(code), `${op} ${place.toString()}: the ${door} says ${code}: ${text.slice(0, 200)}`);
    }
  }
}

const OWN: Readonly<Record<string, Place>> = {
  'grants.yaml': ({ configDir }) => join(configDir, 'grants.yaml'),
  'users.yaml': ({ configDir }) => join(configDir, 'users.yaml'),
  'the state directory': ({ stateDir }) => stateDir,
  'the audit directory': ({ auditDir }) => auditDir,
  'a segment of the log': ({ auditDir }) => join(auditDir, readdirSync(auditDir).find((name) => name.endsWith('.jsonl')) ?? ''),
};

// abuse 67, 68: both doors
for (const [name, place] of Object.entries(OWN)) {
  test(`closed under a grant of /: ${name}`, { skip }, async () => {
    await refused(place, [...READS, ...WRITES], ['PROTECTED']);
    await frame.doors.checkNothingIsLeft();
  });
}

// abuse 67: both doors
test('closed under a grant of /: a hard link to grants.yaml, and a bind mount of the configuration', { skip }, async () => {
  const mounted = join(base, 'mounted');
  mkdirSync(mounted);
  for (const [index, { configDir }] of [frame.doors.pair, frame.doors.home].entries()) {
    const link = join(base, `grants-${index}`);
    linkSync(join(configDir, 'grants.yaml'), link);
    execFileSync('mount', ['--bind', configDir, mounted]);
    try {
      await new Promise((done) => setTimeout(done, 300)); // a new mount is noticed within a quarter of a second
      for (const path of [link, join(mounted, 'users.yaml')]) {
        const before = [readFileSync(path, 'utf8'), statSync(path).mode];
        for (const [op, args, content] of [...READS, ...WRITES]) {
          const { code, text } = await frame.doors.callAt(index, op, { ...args, path }, content);
          assert.equal(code, 'PROTECTED', `${op} ${path}: ${text.slice(0, 200)}`);
        }
        assert.deepEqual([readFileSync(path, 'utf8'), statSync(path).mode], before);
      }
    } finally {
      execFileSync('umount', [mounted]);
      rmSync(link, { force: true });
    }
  }
});

// abuse 68: both doors
test('nothing new is put beside the configuration, the log and the programs', { skip }, async () => {
  const places: Place[] = [({ configDir }) => configDir, ({ stateDir }) => stateDir, ({ auditDir }) => auditDir, () => DIST];
  for (const place of places) await refused((own) => join(place(own), 'new'), [['files/create', {}, 'evil']], ['PROTECTED']);
  await refused(() => '/usr/lib/steward/new', [['files/create', {}, 'evil']], ['PROTECTED']);
  await refused(() => '/etc/systemd/system/steward-broker.socket', [['files/create', {}, 'evil']], ['PROTECTED']);
});

// abuse 68: both doors
test('programs are not written to', { skip }, async () => {
  const before = readFileSync(join(DIST, 'broker.js')).length;
  await refused(() => join(DIST, 'broker.js'), WRITES, ['PROTECTED']);
  assert.equal(readFileSync(join(DIST, 'broker.js')).length, before);
});

// abuse 65: both doors
test('procfs is no way around a path', { skip }, async () => {
  const ways = [
    '/proc/self/root/etc/shadow',
    '/proc/1/root/etc/shadow',
    '/proc/1/cwd',
    '/proc/self/fd/0',
    '/dev/fd/0',
    '/proc/self/exe',
  ];
  for (const path of ways) await refused(() => path, [['files/read', {}], ...WRITES], ['REFUSED_SYMLINK', 'PROTECTED', 'SYSTEM']);
});

// abuse 66: both doors
test('memory, environments and disks are closed', { skip }, async () => {
  const disks = (readFileSync('/proc/partitions', 'utf8').match(/\S+$/gm) ?? []).map((name) => `/dev/${name}`);
  const memory = ['/proc/1/environ', '/proc/1/mem', '/proc/kcore', '/dev/mem', '/dev/port'];
  const present = [...memory, ...disks].filter((path) => existsSync(path)); // what is not there could be made
  assert.ok(present.length > 2);
  const content: typeof READS = [
    ['files/read', {}],
    ['files/create', {}, 'evil'],
    ['files/update', { append: true }, 'evil'],
  ];
  for (const path of present) await refused(() => path, content, ['PROTECTED', 'NOT_REGULAR', 'SYSTEM']);
  await refused(({ pid }) => `/proc/${pid}/environ`, [...READS, ...WRITES], ['PROTECTED']);
  await refused(({ pid }) => `/proc/${pid}/fd`, [...READS, ...WRITES], ['PROTECTED', 'NOT_REGULAR']);
});

test('a call that only looked like one of many leaves no trace but its record', { skip }, async () => {
  writeFileSync(join(base, 'a'), 'text\n');
  const said = await frame.doors.call('files/read', { path: join(base, 'a') });
  assert.deepEqual(
    said.map(({ code }) => code),
    ['OK', 'OK'],
  );
  await frame.doors.checkNothingIsLeft();
});
