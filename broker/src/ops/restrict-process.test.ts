/** Proves on which processes a grant holds, with real processes of several accounts. */
import assert from 'node:assert/strict';
import { copyFileSync, chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readProcessStatus } from '@steward/shared/host/processes.ts';
import { processesDelete } from '@steward/shared/ops/processes/delete.ts';
import { processOpenFiles } from '@steward/shared/ops/processes/resource.ts';
import { failsWith, testContext } from '@steward/shared/testing/context.ts';
import { openDescriptors } from '@steward/shared/testing/tree.ts';
import { endedProcess, endVictim, startVictim } from '@steward/shared/testing/victims.ts';
import { byResourceOwners, bySignalAndOwner } from './restrict-process.ts';
import type { Restricted } from '@steward/shared/catalogue/row.ts';

const skip = process.getuid?.() !== 0 && 'needs root';
const NOBODY = 65534;
const victims: number[] = [];
after(() => victims.forEach(endVictim));

function victim(uid = NOBODY): number {
  const pid = startVictim({ uid });
  victims.push(pid);
  return pid;
}

const input = { user: 'ops', op: processesDelete, tool: 'processes/delete', guard: testContext().guard };

function signal(args: object, lists: { signals?: readonly string[]; owners?: readonly string[] } = {}): Restricted {
  const restricted = bySignalAndOwner.decide({ ...input, args: { ...args }, grant: { allowed: true, line: 1, ...lists } });
  restricted.subject?.close();
  return restricted;
}

test('signals of the grant, with or without SIG', { skip }, () => {
  const pid = victim();
  assert.match(signal({ pid, signal: 'SIGHUP' }, { signals: ['TERM', 'HUP'] }).rule, /^signals: HUP; owners: any$/);
  assert.match(signal({ pid }, { signals: ['SIGTERM'] }).rule, /^signals: SIGTERM/);
  assert.throws(
    () => signal({ pid, signal: 'SIGKILL' }, { signals: ['TERM'] }),
    failsWith('signal_restricted', { signal: 'SIGKILL' }),
  );
  assert.throws(() => signal({ pid }, { signals: [] }), failsWith('signal_restricted'));
});

test('owners of the grant, by name, number or all', { skip }, () => {
  const pid = victim();
  const before = openDescriptors();
  for (const owners of [['nobody'], ['root', '65534'], ['*']]) {
    const { rule, object } = signal({ pid }, { owners });
    assert.equal(rule, `signals: any; owners: ${owners.at(-1) ?? ''}`);
    assert.equal(object, `process ${String(pid)} (sleep, nobody)`);
  }
  const foreign = failsWith('owner_restricted', { pid, owner: 'nobody' });
  for (const owners of [[], ['root'], ['no-such-account'], ['6553'], [String(pid)]])
    assert.throws(() => signal({ pid }, { owners }), foreign);
  assert.equal(openDescriptors(), before);
});

test('a process of two accounts needs both', { skip: skip || nosuid() }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'steward-suid-'));
  chmodSync(directory, 0o755);
  const program = join(directory, 'sleep');
  copyFileSync('/bin/sleep', program);
  chmodSync(program, 0o4755);
  const child = spawn(program, ['60'], { uid: NOBODY, gid: NOBODY, stdio: 'ignore' });
  const pid = child.pid ?? 0;
  victims.push(pid);
  for (let tries = 0; tries < 100 && readProcessStatus('/', `/proc/${String(pid)}`)?.effectiveUid !== 0; tries++) {
    await new Promise((done) => setTimeout(done, 10));
  }
  const resource = (owners: readonly string[]) =>
    byResourceOwners.decide({
      ...input,
      op: processOpenFiles,
      tool: `process://${String(pid)}/open_files`,
      args: { pid },
      grant: { allowed: true, line: 0, owners },
    });
  assert.throws(() => resource(['nobody']), failsWith('resource_not_granted'));
  assert.throws(() => resource(['root']), failsWith('resource_not_granted'));
  const both = resource(['nobody', 'root']);
  assert.equal(both.rule, 'owners: nobody, root');
  both.subject?.close();
  rmSync(directory, { recursive: true });
});

/** Whether programs in the temporary directory cannot change the user (ST_NOSUID is not told: mount options of tmpfs). */
function nosuid(): string | false {
  return statfsSync(tmpdir()).type === 0x01021994 && 'the temporary directory may be mounted nosuid';
}

test('init, steward and what it started are protected, whatever the grant', { skip }, () => {
  assert.throws(() => signal({ pid: 1 }, { owners: ['*'] }), failsWith('protected_process', { pid: 1 }));
  assert.throws(() => signal({ pid: process.pid }), failsWith('protected_process'));
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  victims.push(child.pid ?? 0);
  assert.throws(() => signal({ pid: child.pid }), failsWith('protected_process'));
});

test('what is judged is what is signalled: the process, not its number', { skip }, async () => {
  assert.throws(() => signal({ pid: 4_194_305 }), failsWith('no_such_process'));
  const { pid } = await endedProcess(() => undefined);
  assert.throws(() => signal({ pid }), failsWith('no_such_process', { pid }));
  const living = victim();
  const { subject } = bySignalAndOwner.decide({ ...input, args: { pid: living }, grant: { allowed: true, line: 1 } });
  assert.ok(subject !== undefined);
  const result = await processesDelete.run({ pid: living, signal: 'SIGTERM' }, testContext({ privileged: true, subject }));
  assert.equal(result.owner, 'nobody');
  subject.close();
});

test('resource lists: owners, and nothing of steward', { skip }, () => {
  const pid = victim();
  const decide = (owners: readonly string[], pids: readonly number[] = []) => {
    const uri = `process://${String(pid)}/open_files`;
    const check = (object: { realPath: string }): void => {
      if (pids.some((own) => object.realPath === `/proc/${String(own)}/fd`))
        throw Object.assign(new Error(), { key: 'protected_object' });
    };
    const guard = { ...input.guard, check };
    const restricted = byResourceOwners.decide({
      ...input,
      guard,
      op: processOpenFiles,
      tool: uri,
      args: { pid },
      grant: { allowed: true, line: 0, owners },
    });
    restricted.subject?.close();
    return restricted.rule;
  };
  assert.equal(decide(['nobody']), 'owners: nobody');
  assert.equal(decide(['*']), 'owners: *');
  assert.throws(
    () => decide(['root']),
    failsWith('resource_not_granted', { user: 'ops', uri: `process://${String(pid)}/open_files` }),
  );
  assert.throws(() => decide(['*'], [pid]), failsWith('protected_object'));
});
