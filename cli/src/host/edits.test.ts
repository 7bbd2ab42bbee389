/** Many edits of the configuration at the same time: none is lost, and what people wrote stays. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { directoryFor, run, type Cleanup } from '../testing/host.ts';

const comments = (text: string): string[] => [...text.matchAll(/#.*$/gm)].map(([comment]) => comment);

test('fifty edits at once lose nothing, and every comment stays in its place', async (context) => {
  const directory = directoryFor(context);
  const file = (name: string): string => readFileSync(join(directory, name), 'utf8');
  const before = { users: comments(file('users.yaml')), grants: comments(file('grants.yaml')) };
  await Promise.all(
    Array.from({ length: 25 }, (_, at) => [
      run(directory, 'users', 'add', `user${at}`, '--account='),
      run(directory, 'grants', 'add', 'alice', 'files/read', `paths=/srv/${at}`),
    ]).flat(),
  );
  const { users, grants } = loadSnapshot(directory);
  assert.deepEqual(users.map(({ name }) => name).sort(), ['alice', ...Array.from({ length: 25 }, (_, at) => `user${at}`)].sort());
  const paths = grants['alice']?.tools['files/read']?.paths as readonly string[];
  assert.deepEqual([...paths].sort(), ['/var/log', ...Array.from({ length: 25 }, (_, at) => `/srv/${at}`)].sort());
  assert.deepEqual({ users: comments(file('users.yaml')), grants: comments(file('grants.yaml')) }, before);
  assert.equal(file('users.yaml').indexOf('name: alice') < file('users.yaml').indexOf('name: user'), true);
});

/** An editor for tests: a program that changes the file that it is given. */
function editor(context: Cleanup, script: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'steward-editor-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'editor');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('config edit puts a good result in place and refuses a broken one', async (context) => {
  const directory = directoryFor(context);
  const path = join(directory, 'daemon.yaml');
  const before = readFileSync(path, 'utf8');
  const saved = process.env['VISUAL'];
  context.after(() => {
    if (saved === undefined) delete process.env['VISUAL'];
    else process.env['VISUAL'] = saved;
  });
  process.env['VISUAL'] = editor(context, 'echo "limits: {timeout_seconds: 20} # short" >> "$1"');
  const good = await run(directory, 'config', 'edit', 'daemon');
  assert.equal(good.exit, 0, good.err);
  assert.equal(readFileSync(path, 'utf8'), `${before}limits: {timeout_seconds: 20} # short\n`);
  process.env['VISUAL'] = editor(context, 'echo "nonsense: 1" >> "$1"');
  await assert.rejects(run(directory, 'config', 'edit', 'daemon'), /daemon\.yaml:\d+: .*nonsense/);
  assert.equal(readFileSync(path, 'utf8'), `${before}limits: {timeout_seconds: 20} # short\n`);
  process.env['VISUAL'] = editor(context, 'exit 3');
  await assert.rejects(run(directory, 'config', 'edit', 'daemon'), /status 3/);
});
