/**
 * Through the frontend and straight at the broker: what depends on who one is and what is there. Crontabs and processes of somebody
 * else, modes that hand something down, names made of anything, values that go into the log.
 */
import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { doorFrame, fileGrants } from '../support/door-frame.ts';
import { isRoot } from '../support/pair.ts';

const skip = !isRoot && 'needs root: without it the kernel refuses most of this by itself';
const NOBODY = 65_534;
const TTL = '/proc/sys/net/ipv4/ip_default_ttl';

const MORE =
  '      cron/manage: {allowed: true, users: {nobody: {view: true}}}\n' +
  '      processes/delete: {allowed: true, signals: [CONT], owners: ["*"]}\n' +
  '      kernel/system-control: {allowed: true, sysctl: {write_keys: ["net.ipv4.ip_default_ttl"]}}\n';
const frame = doorFrame({
  name: 'state',
  prepare: (base) => ({ grants: fileGrants(base, ['list', 'read', 'find', 'chmod', 'chown'], MORE) }),
});
const { base } = frame;

/** Both doors say this code. */
async function both(code: string, op: string, args: Record<string, unknown>, content?: string): Promise<void> {
  for (const said of await frame.doors.call(op, args, content)) {
    assert.equal(
      said.code,
      code,
      `${op} ${JSON.stringify(args).slice(0, 200)}: the ${said.door} says ${said.text.slice(0, 300)}`,
    );
  }
}

/** What either broker recorded. */
const records = (): AuditRecord[][] => [frame.doors.pair.records(), frame.doors.home.records()];

// abuse 44: both doors
test('a session reaches no crontab but those of its user’s grant', { skip }, async () => {
  await both('RESTRICTED', 'cron/manage', { user: 'daemon', privileged: true });
  await both('RESTRICTED', 'cron/manage', { user: 'root', privileged: true });
  await both('RESTRICTED', 'cron/manage', { user: 'daemon', privileged: true }, '* * * * * true\n');
  await both('RESTRICTED', 'cron/manage', { user: 'nobody', privileged: true }, '* * * * * true\n'); // may be seen, not changed
  await frame.doors.checkNothingIsLeft();
});

// abuse 83: frontend
test('no signal goes to the frontend or the launcher', { skip }, async () => {
  for (const pid of [...frame.doors.pair.pids('steward-frontend'), frame.doors.pair.launcher.pid]) {
    const { code, text } = await frame.doors.callAt(0, 'processes/delete', { pid, signal: 'CONT' });
    assert.equal(code, 'PROTECTED', text);
  }
});

// abuse 73: both doors
test('a directory keeps its set-group-id bit unless it is taken away by name', { skip }, async () => {
  const directory = join(base, 'shared');
  mkdirSync(directory);
  for (const [mode, becomes] of [
    ['2775', 0o2775],
    ['0755', 0o2755],
    ['g-s', 0o755],
  ] as const) {
    await both('OK', 'files/chmod', { path: directory, mode });
    assert.equal(lstatSync(directory).mode & 0o7777, becomes, mode);
  }
  writeFileSync(join(directory, 'program'), '', { mode: 0o755 });
  await both('RESTRICTED', 'files/chmod', { path: join(directory, 'program'), mode: '4755' });
});

const NAMES = ['-rf', '--help', 'new\nline', 'x'.repeat(255), '$(reboot)', ' ', '..x'].map((name) => Buffer.from(name));
const ODD = [...NAMES, Buffer.from([0x62, 0xff, 0xfe])];

// abuse 71: both doors
test('a recursive change takes every name for bytes', { skip }, async () => {
  const directory = join(base, 'names');
  mkdirSync(directory);
  const paths = ODD.map((name) => Buffer.concat([Buffer.from(`${directory}/`), name]));
  for (const path of paths) writeFileSync(path, '', { mode: 0o600 });
  for (const [door, mode] of [0o640, 0o644].entries()) {
    const changed = await frame.doors.callAt(door, 'files/chmod', {
      path: directory,
      mode: door === 0 ? 'g+r' : 'o+r',
      recursive: true,
    });
    assert.equal(changed.code, 'OK', changed.text);
    for (const path of paths) assert.equal(lstatSync(path).mode & 0o777, mode, String(path));
  }
  await both('OK', 'files/chown', { path: directory, owner: 'nobody', recursive: true });
  for (const path of paths) assert.equal(lstatSync(path).uid, NOBODY, String(path));
  for (const { text } of await frame.doors.call('files/list', { path: directory, all: true })) {
    assert.doesNotMatch(text, /new\nline/, 'a name is shown as one line');
  }
});

// abuse 85: both doors
test('a kernel parameter that is listed is written, and the record has both values', { skip }, async () => {
  const value = readFileSync(TTL, 'latin1').trim();
  await both('OK', 'kernel/system-control', { key: 'net.ipv4.ip_default_ttl', value });
  for (const log of records()) {
    const intent = log.find(({ kind, op }) => kind === 'intent' && op === 'kernel/system-control');
    const outcome = log.find((record) => record.kind === 'outcome' && record.intent === intent?.seq);
    assert.equal(intent?.args?.['value'], value);
    assert.match(outcome?.detail ?? '', new RegExp(`previous\\W+${value}\\b`));
  }
});

// abuse 105: both doors
test('what is typed stays within its line of the log, whatever it is', { skip }, async () => {
  const forged = `${base}/x\n{"seq":1,"kind":"outcome","code":"OK"}\r\u2028\u0007\u001b[2J`;
  await both('SYSTEM', 'files/read', { path: forged });
  for (const directory of [frame.doors.pair.auditDir, frame.doors.home.auditDir]) {
    const segments = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
    const lines = segments.flatMap((name) => readFileSync(join(directory, name), 'utf8').trimEnd().split('\n'));
    const about = lines.map((line) => JSON.parse(line) as AuditRecord).filter(({ object }) => object === forged);
    assert.ok(about.length > 0, 'the path is on record as it was typed');
    // eslint-disable-next-line no-control-regex -- control characters are what is looked for
    for (const line of lines) assert.doesNotMatch(line, /[\u0000-\u001f\u007f]/);
  }
  await frame.doors.checkNothingIsLeft();
});
