/**
 * A log on a real file system that fails as disks do: it becomes slow, so slow that nothing is durable for a while, and the kernel makes
 * it read-only in the middle of work. Through the frontend and straight at the broker nothing is done without its record.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyAudit } from '@steward/shared/audit/verify.ts';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import { makeHome, startBroker, type BrokerHome, type RawBroker } from '../support/raw-broker.ts';
import type { SseClient } from '../support/sse-client.ts';

const skip = !isRoot && 'needs root to mount a file system';
/** How long the disk makes nothing durable, in milliseconds. */
const STUCK_MS = 2000;
const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' });

let base: string;
/** Where files are made, on another file system than the logs. */
let place: string;
let disk: string;
let device: string;
let home: BrokerHome;
let broker: RawBroker;
let pair: Pair;
let ops: SseClient;

before(async () => {
  if (!isRoot) return;
  base = mkdtempSync(join(tmpdir(), 'steward-disk-'));
  chmodSync(base, 0o755);
  [place, disk] = [join(base, 'place'), join(base, 'disk')];
  for (const made of [place, disk]) mkdirSync(made);
  run('truncate', '--size=32M', join(base, 'image'));
  run('mkfs.ext4', '-q', '-F', '-e', 'remount-ro', join(base, 'image'));
  device = run('losetup', '--find', '--show', join(base, 'image')).trim();
  run('mount', device, disk);
  const grants = `  ops:\n    tools:\n      files/create: {allowed: true, paths: ["${place}"]}\n`;
  home = makeHome(grants);
  for (const name of ['own', 'pair']) mkdirSync(join(disk, name), { mode: 0o700 });
  mkdirSync(home.auditDir, { mode: 0o700 });
  run('mount', '--bind', join(disk, 'own'), home.auditDir);
  broker = await startBroker(home, { bundle: true });
  await broker.client.hello();
  await broker.client.open(home.token('ops'));
  // the directory of the pair's log is known only when it starts
  const script =
    'for word; do [ "$last" = --state-dir ] && state=$word; last=$word; done; mount --bind "$0" "$state/../audit" && exec "$@"';
  pair = await startPair({ grants, under: ['sh', '-c', script, join(disk, 'pair')] });
  ops = await pair.connect('ops');
});
after(async () => {
  if (!isRoot) return;
  for (const mounted of [home.auditDir, pair.auditDir]) run('umount', '--lazy', mounted);
  await Promise.all([broker.stop(), pair.stop()]);
  home.remove();
  run('umount', '--lazy', disk);
  run('losetup', '--detach', device);
  rmSync(base, { recursive: true, force: true });
});

/** Makes a file through the frontend and one at the broker; each answer is `OK` or what was said, and when it came. */
function makeBoth(name: string): readonly Promise<string>[] {
  const paths = ['frontend', 'broker'].map((door) => join(place, `${name}-${door}`));
  const [atFrontend = '', atBroker = ''] = paths;
  return [
    ops
      .call('files/create', { path: atFrontend, content: 'x', privileged: true })
      .then(({ isError, code }) => (isError ? (code ?? '') : 'OK')),
    broker.client.call('files/create', { path: atBroker }, { upload: Buffer.from('x') }).then(({ key }) => key ?? 'OK'),
  ];
}
const made = (name: string): number => ['frontend', 'broker'].filter((door) => existsSync(join(place, `${name}-${door}`))).length;

test('while nothing becomes durable nothing is done; then it is', { skip }, async () => {
  assert.deepEqual(await Promise.all(makeBoth('first')), ['OK', 'OK']);
  run('fsfreeze', '--freeze', disk);
  const answers = makeBoth('stuck');
  try {
    const unprivileged = await ops.call('cpu/load-average');
    assert.equal(unprivileged.isError, false, 'what needs no root goes on');
    await sleep(STUCK_MS);
    assert.equal(made('stuck'), 0, 'no record is durable yet');
  } finally {
    run('fsfreeze', '--unfreeze', disk);
  }
  assert.deepEqual(await Promise.all(answers), ['OK', 'OK']);
  assert.equal(made('stuck'), 2);
});

// abuse 99: both doors
test(
  'a file system that the kernel makes read-only in the middle of work: nothing is done, and the reason is said',
  { skip },
  async () => {
    assert.deepEqual(await Promise.all(makeBoth('before')), ['OK', 'OK']);
    writeFileSync(`/sys/fs/ext4/${device.slice('/dev/'.length)}/trigger_fs_error`, 'test of steward\n');
    assert.deepEqual(await Promise.all(makeBoth('after')), ['AUDIT_UNAVAILABLE', 'audit_unavailable']);
    assert.equal(made('after'), 0);
    for (const directory of [home.auditDir, pair.auditDir]) assert.notEqual((await verifyAudit(directory)).state, 'altered');
  },
);
