/** Proves the reads of one process, and that its environment is in none of them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeGuard } from '../../host/guarding.ts';
import { holdProcess } from '../../host/held-process.ts';
import { failsWith, testContext } from '../../testing/context.ts';
import { openDescriptors } from '../../testing/tree.ts';
import { endedProcess, endVictim, startVictim } from '../../testing/victims.ts';
import { parseLimits, processCommandLine, processLimits, processOpenFiles, processStatus, type OpenFile } from './resource.ts';

const SECRET = 'c0ffee-of-the-environment';
const pid = startVictim({ secret: SECRET });
after(() => endVictim(pid));

test('status, command line, limits and open files of a process', async () => {
  const before = openDescriptors();
  const status = await processStatus.run({ pid }, testContext());
  assert.match(status, new RegExp(`^Name:\tsleep\n[^]*^Pid:\t${String(pid)}$`, 'm'));
  const line = testContext<string>();
  await processCommandLine.run({ pid }, line);
  assert.deepEqual(line.records, ['sleep', '60']);
  const limits = await processLimits.run({ pid }, testContext());
  assert.ok(limits.some(({ name, units }) => name === 'Max open files' && units === 'files'));
  const files = testContext<OpenFile>();
  await processOpenFiles.run({ pid }, files);
  assert.deepEqual(
    files.records.find(({ fd }) => fd === '1'),
    { fd: '1', target: '/dev/null' },
  );
  assert.deepEqual(
    files.records.map(({ fd }) => Number(fd)),
    files.records.map(({ fd }) => Number(fd)).sort((a, b) => a - b),
  );
  assert.equal(openDescriptors(), before);
  assert.ok(!JSON.stringify([status, line.records, limits, files.records]).includes(SECRET));
});

test('limits by column', () => {
  const file = `Limit                     Soft Limit           Hard Limit           Units     
Max cpu time              unlimited            unlimited            seconds   
Max nice priority         0                    0                    
Max open files            1024                 1048576              files     
`;
  assert.deepEqual(parseLimits(file), [
    { name: 'Max cpu time', soft: 'unlimited', hard: 'unlimited', units: 'seconds' },
    { name: 'Max nice priority', soft: '0', hard: '0', units: '' },
    { name: 'Max open files', soft: '1024', hard: '1048576', units: 'files' },
  ]);
});

test('no such process', async () => {
  const gone = failsWith('no_such_process', { pid: 4_194_305 });
  for (const op of [processStatus, processLimits]) await assert.rejects(op.run({ pid: 4_194_305 }, testContext()), gone);
  await assert.rejects(processCommandLine.run({ pid: 4_194_305 }, testContext<string>()), gone);
  await assert.rejects(processOpenFiles.run({ pid: 4_194_305 }, testContext<OpenFile>()), gone);
  const { pid: other, made: subject } = await endedProcess((child) => holdProcess('/', child));
  await assert.rejects(processLimits.run({ pid: other }, testContext({ subject })), failsWith('no_such_process', { pid: other }));
  subject.close();
});

test('of processes of the pair, only what everybody may know', async () => {
  const guard = makeGuard({ trees: [], readOnly: [], pids: [pid] });
  await assert.rejects(
    processOpenFiles.run({ pid }, testContext<OpenFile>({ guard })),
    failsWith('protected_object', { path: `/proc/${String(pid)}/fd` }),
  );
  assert.ok((await processLimits.run({ pid }, testContext({ guard }))).length > 5);
  assert.match(await processStatus.run({ pid }, testContext({ guard })), /^Name:\tsleep/);
});

test('what the kernel refuses', { skip: process.getuid?.() !== 0 && 'needs root to be somebody else' }, async () => {
  process.seteuid?.(65534);
  try {
    const refused = failsWith('read_target', { target: 'open_files', reason: 'permission denied', errno: 'EACCES' });
    await assert.rejects(processOpenFiles.run({ pid }, testContext<OpenFile>()), refused);
  } finally {
    process.seteuid?.(0);
  }
});
