/**
 * Calls that somebody with a broad grant tries when he wants more, each through the frontend and straight at the broker: links, odd
 * paths, magic links, devices, steward's own files, programs' options, processes and parameters that are not his. After each of
 * them the outside is as it was, nothing is open, nothing runs, and both logs are whole.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Args } from '../support/both-doors.ts';
import { doorFrame, fileGrants, type Opening } from '../support/door-frame.ts';
import { isRoot } from '../support/pair.ts';

const skip = !isRoot && 'needs root: without it the kernel refuses most of this by itself';
const frame = doorFrame({ name: 'doors', prepare, undo: () => socket?.close() });
const { base } = frame;
const inside = join(base, 'www');
const outside = join(base, 'outside');
const TOOLS = ['list', 'read', 'find', 'filetype', 'create', 'update', 'chmod', 'chown'];
const FILE_TOOLS = TOOLS.map((name) => `files/${name}`);

let socket: Server | undefined;

/** Everything in the grant that leads out of it, and everything that is no file. */
function plant(): void {
  for (const directory of [inside, `${inside}evil`, outside, join(inside, 'sub')]) mkdirSync(directory);
  for (const path of [join(inside, 'a'), join(inside, 'sub/b'), `${inside}evil/x`, join(outside, 'secret')])
    writeFileSync(path, 'text\n', { mode: 0o600 });
  const links = { out: '../outside/secret', in: 'a', dir: '../outside', loop: 'loop', l0: 'a' };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(inside, name));
  for (let hop = 1; hop <= 41; hop += 1) symlinkSync(`l${hop - 1}`, join(inside, `l${hop}`));
  execFileSync('mkfifo', [join(inside, 'fifo')]);
  execFileSync('mknod', [join(inside, 'device'), 'c', '1', '5']);
  socket = createServer().listen(join(inside, 'socket'));
}

function prepare(): Opening {
  plant();
  const more =
    '      disks/health: {allowed: true, devices: ["*"]}\n      services/manage: {allowed: true, units: ["*"]}\n' +
    '      processes/delete: {allowed: true, signals: [TERM, KILL], owners: ["*"]}\n' +
    '      kernel/system-control: {allowed: true, sysctl: {write_keys: ["net.ipv4.ip_default_ttl", "kernel.*"]}}\n' +
    '      docker/exec: {allowed: true, containers: ["*"]}\n      docker/manage: {allowed: true, containers: ["*"]}\n';
  return { grants: fileGrants(inside, TOOLS, more), searched: inside };
}

/** Everything about files that no call may change. */
function canary(): string {
  const paths = [join(outside, 'secret'), outside, `${inside}evil`, `${inside}evil/x`, '/etc/passwd', '/etc/shadow', base];
  return paths
    .map((path) => {
      const { mode, uid, gid, size, mtimeMs, nlink, ino } = lstatSync(path);
      return [path, mode, uid, gid, size, lstatSync(path).isFile() ? mtimeMs : 0, nlink, ino].join(' ');
    })
    .join('\n');
}

interface Attempt {
  readonly op: string;
  readonly args: Args;
  readonly content?: string;
  /** Codes that are right; the broker's texts and the frontend's are the same. */
  readonly codes: readonly string[];
}

/** Each file tool with arguments that would show if it had worked. */
const onPath = (path: string, codes: readonly string[], tools: readonly string[] = FILE_TOOLS): Attempt[] =>
  tools.map((op) => ({ op, args: { path, ...CHANGES[op]?.args }, ...CHANGES[op]?.upload, codes }));

const CHANGES: Readonly<Record<string, { args: Record<string, unknown>; upload?: { content: string } }>> = {
  'files/create': { args: {}, upload: { content: 'evil' } },
  'files/update': { args: { append: true }, upload: { content: 'evil' } },
  'files/chmod': { args: { mode: '777' } },
  'files/chown': { args: { owner: '1:1' } },
};
const LINK_TOOLS = FILE_TOOLS.filter((tool) => tool !== 'files/filetype');
const one = (op: string, args: Args, ...codes: string[]): Attempt => ({ op, args, codes });

async function tryAll(attempts: readonly Attempt[]): Promise<void> {
  const untouched = canary();
  for (const { op, args, content, codes } of attempts) {
    for (const { door, code, text } of await frame.doors.call(op, args, content)) {
      assert.ok(
        codes.includes(code),
        `${op} ${(JSON.stringify(args) ?? '').slice(0, 300)}: the ${door} says ${code}: ${text.slice(0, 300)}`,
      );
      assert.ok(!text.includes('root:'), 'content of the password files');
    }
  }
  assert.equal(canary(), untouched);
  await frame.doors.checkNothingIsLeft();
}

const CASES: Readonly<Record<string, () => readonly Attempt[]>> = {
  // abuse 53: both doors
  'every spelling of what is granted is the same object': () =>
    [inside, `${inside}/`, `${base}//www/./sub/..`].map((path) => one('files/list', { path }, 'OK')),
  // abuse 51, 52: both doors
  'a neighbour whose name begins alike, and .. out of the grant': () =>
    [`${inside}evil/x`, `${inside}/../outside/secret`, `${inside}/../../../../../etc/passwd`, '/'].flatMap((path) =>
      onPath(path, ['RESTRICTED'], FILE_TOOLS),
    ),
  // abuse 55, 57, 58: both doors
  'a link as last component, whether it leads out or stays inside': () =>
    [join(inside, 'out'), join(inside, 'in')].flatMap((path) => onPath(path, ['REFUSED_SYMLINK'], LINK_TOOLS)),
  // abuse 56: both doors
  'a link as middle component': () => onPath(join(inside, 'dir/secret'), ['REFUSED_SYMLINK']),
  // abuse 59: both doors
  'a loop, and a chain of 41 links': () =>
    [join(inside, 'loop'), join(inside, 'l41')].flatMap((path) => onPath(path, ['REFUSED_SYMLINK'], LINK_TOOLS)),
  // abuse 20, 54: both doors
  'what is no path': () =>
    [
      'relative',
      '',
      `${inside}/\u0000`,
      `${inside}/${'y'.repeat(256)}`,
      `${inside}/${'a/'.repeat(2100)}`,
      `${inside}/\ud800`,
    ].flatMap(
      (path) => onPath(path, ['BAD_ARGS', ...(path === '' ? ['RESTRICTED'] : [])]), // a search without a path begins at /
    ),
  // abuse 69: both doors
  'FIFO, socket and device are no files': () =>
    ['fifo', 'socket', 'device'].flatMap((name) =>
      onPath(join(inside, name), ['NOT_REGULAR', 'SYSTEM'], ['files/read', 'files/create', 'files/update']),
    ),
  // abuse 19, 21, 22: both doors
  'arguments that miss their schema': () => [
    one('files/chown', { path: join(inside, 'a'), owner: 'x'.repeat(900_000) }, 'BAD_ARGS'),
    one('files/read', { path: join(inside, 'a'), limit: 2 ** 53 + 2 }, 'BAD_ARGS'),
    one('files/read', { path: join(inside, 'a'), limit: -1 }, 'BAD_ARGS'),
    one('files/read', { path: join(inside, 'a'), start_line: 1.5 }, 'BAD_ARGS'),
    one('files/read', { path: join(inside, 'a'), extra: 1 }, 'BAD_ARGS', 'OK'),
    one('files/read', { path: [join(inside, 'a')] }, 'BAD_ARGS'),
    one('files/chmod', { path: join(inside, 'a'), mode: '8888' }, 'BAD_ARGS'),
  ],
  // abuse 73: both doors
  'setuid without the grant’s word for it': () => [one('files/chmod', { path: join(inside, 'a'), mode: '4755' }, 'RESTRICTED')],
  // abuse 74: both doors
  'device names that are options, paths or commands': () =>
    ['--help', '-d', '../sda', 'sda;id', 'sda1\n', 'sda/../../etc/passwd', ''].map((device) =>
      one('disks/health', { device }, 'BAD_ARGS'),
    ),
  // abuse 75: both doors
  'unit names that are options, patterns or too long': () =>
    ['-H', '--version', 'a b.service', '*.service', '@.service', `${'x'.repeat(257)}.service`, ''].map((service) =>
      one('services/manage', { service, action: 'restart' }, 'BAD_ARGS'),
    ),
  // abuse 76: both doors
  'steward’s own units': () =>
    ['steward-broker.socket', 'steward-frontend.service', 'steward-broker@1.service'].map((service) =>
      one('services/manage', { service, action: 'stop' }, 'PROTECTED', 'RESTRICTED'),
    ),
  // abuse 83: both doors
  'process numbers that are none, init and steward itself': () => [
    ...[0, -1, 1.5].map((pid) => one('processes/delete', { pid }, 'BAD_ARGS')),
    one('processes/delete', { pid: 2 ** 22 + 1 }, 'BAD_ARGS', 'NOT_FOUND'),
    one('processes/delete', { pid: 1 }, 'PROTECTED'),
    one('processes/delete', ({ pid }) => ({ pid }), 'PROTECTED'),
  ],
  // abuse 84: both doors
  'kernel parameters that lead to root or out of the tree': () =>
    [
      ['../vm/x', 'BAD_ARGS'],
      ['kernel/core_pattern', 'RESTRICTED'],
      ['kernel.modprobe', 'RESTRICTED'],
      ['vm.swappiness', 'RESTRICTED'],
      ['kernel.*', 'BAD_ARGS'],
      ['kernel..hostname', 'BAD_ARGS'],
    ].map(([key, code = '']) => one('kernel/system-control', { key, value: '|/bin/x' }, code)),
  // abuse 84: both doors
  'two lines as one value': () => [one('kernel/system-control', { key: 'net.ipv4.ip_default_ttl', value: '64\n1' }, 'BAD_ARGS')],
  // abuse 92, 93: both doors
  'commands and containers that are none': () => [
    one('docker/exec', { container: 'web', command: ['a\u0000b'] }, 'BAD_ARGS'),
    one('docker/exec', { container: 'web', command: Array.from({ length: 10_000 }, () => 'x') }, 'BAD_ARGS'),
    one('docker/exec', { container: 'web', command: ['true'], working_dir: 'relative' }, 'BAD_ARGS', 'ENGINE'),
    ...['../images/json', '%2e%2e', 'web?x=1', 'web/../../images', '-x', ''].map((container) =>
      one('docker/manage', { container, action: 'stop' }, 'BAD_ARGS'),
    ),
  ],
};

for (const [name, attempts] of Object.entries(CASES)) test(`refused at both doors: ${name}`, { skip }, () => tryAll(attempts()));
