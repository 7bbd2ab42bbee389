/** Proves the template for one process: its targets, its refusals, and when the broker is asked. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { NO_GRANTS, type UserGrants } from '@steward/shared/config/types.ts';
import { StewardError } from '@steward/shared/errors.ts';
import { testContext } from '@steward/shared/testing/context.ts';
import { endVictim, startVictim } from '@steward/shared/testing/victims.ts';
import { collect, outcomeOf } from '../testing/outcome.ts';
import { matchTemplate } from './match.ts';
import { PROCESS_TEMPLATES } from './processes.ts';
import type { ResourceContext } from './resource.ts';

const pid = startVictim();
after(() => endVictim(pid));

interface Scene {
  readonly grants?: UserGrants;
  /** The kernel refuses. */
  readonly denied?: boolean;
  /** Told of what the broker is asked. */
  readonly asked?: string[];
}

async function read(uri: string, { grants = NO_GRANTS, denied = false, asked = [] }: Scene = {}) {
  const [template] = PROCESS_TEMPLATES;
  assert.ok(template !== undefined);
  const params = matchTemplate(template.matches ?? template.uriTemplate, uri);
  assert.ok(params !== undefined, uri);
  type Op<Args, Result> = { readonly name: string; run(args: Args, context: never): Promise<Result> };
  const run = async <Args, Result, Item>(op: Op<Args, Result>, args: Args) => {
    const context = testContext<Item>();
    return outcomeOf<Result, Item>(await op.run(args, context as never), context.records);
  };
  const context: ResourceContext = {
    uri,
    params,
    user: 'ops',
    grants,
    runLocal: (op, args) =>
      denied
        ? Promise.reject(new StewardError('read_target', { target: 'open_files', reason: 'permission denied', errno: 'EACCES' }))
        : run(op, args),
    runRoot: (op, args) => {
      asked.push(op.name);
      return run(op, args);
    },
  };
  const { mimeType, text } = await template.read(context);
  return { mimeType, text: await collect(text) };
}

const at = (target: string): string => `process://${String(pid)}/${target}`;

test('the four targets', async () => {
  const status = await read(at('status'));
  assert.equal(status.mimeType, 'text/plain');
  assert.match(status.text, /^Name:\tsleep\n/);
  assert.deepEqual(await read(at('cmdline')), { mimeType: 'application/json', text: '[\n  "sleep",\n  "60"\n]' });
  const limits = JSON.parse((await read(at('limits'))).text) as object[];
  assert.deepEqual(Object.keys(limits[0] ?? {}), ['name', 'soft', 'hard', 'units']);
  const files = JSON.parse((await read(at('open_files'))).text) as object[];
  assert.deepEqual(files.at(-1) === undefined ? [] : Object.keys(files[0] ?? {}), ['fd', 'target']);
});

test('what is no process, no target, no URI of this kind', async () => {
  await assert.rejects(read('process://4194305/status'), { message: 'no such process: 4194305' });
  for (const word of ['0', '-1', 'self', '1.5', '1e3', '+1', ' 1', '99999999999', '..']) {
    await assert.rejects(read(`process://${word}/status`), { message: `invalid PID: ${word}` });
  }
  for (const target of ['environ', 'mem', 'maps', 'fd', 'STATUS', '__proto__', 'constructor', '..']) {
    await assert.rejects(read(at(target)), { message: `unsupported target: ${target}` });
  }
  const format = { message: 'invalid process URI format, expected process://{pid}/{target}' };
  for (const uri of [
    'process://',
    'process://1',
    'process://1/',
    'process:///status',
    'process://1/task/status',
    'process://1/status/',
  ]) {
    await assert.rejects(read(uri), format);
  }
});

test('the broker is asked only when the kernel refused and a grant covers the owner', async () => {
  const owner = process.getuid?.() ?? 0;
  const granted = (entry: string): UserGrants => ({ tools: {}, resources: { 'process://': [entry] } });
  const asked: string[] = [];
  await read(at('open_files'), { grants: granted('*'), asked });
  assert.deepEqual(asked, []);
  for (const entry of ['*', '', String(owner)]) await read(at('open_files'), { grants: granted(entry), denied: true, asked });
  await read(at('limits'), { grants: granted('*'), denied: true, asked });
  assert.deepEqual(asked, [...Array<string>(3).fill('resource/process-open-files'), 'resource/process-limits']);
  const refused = {
    message: `failed to read open_files: permission denied (user ops is not authorized to read ${at('open_files')} as root: resources: in grants.yaml)`,
  };
  for (const grants of [NO_GRANTS, granted('54321'), granted('no-such-account')]) {
    await assert.rejects(read(at('open_files'), { grants, denied: true, asked }), refused);
  }
  assert.equal(asked.length, 4);
});
