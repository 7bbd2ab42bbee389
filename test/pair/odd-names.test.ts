/** File names that break naive code, through the whole stack: unprivileged, and as root. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isRoot, startPair, type Pair } from '../support/pair.ts';
import type { SseClient } from '../support/sse-client.ts';

const NAMES = [
  'new\nline',
  'carriage\rreturn',
  'tab\tand bell\u0007',
  'double"quote',
  "single'quote",
  'back\\slash',
  '-rf',
  '--help',
  ' leading and trailing ',
  '$(touch pwned)',
  '`id`;&|<>*?[x]',
  '..hidden',
  'ünïcødé 🐧 \u2028',
  '\u200bzero width',
  'x'.repeat(255),
  '%2e%2e%2f',
];
const INVALID = Buffer.from([0x62, 0x61, 0x64, 0xff, 0xfe, 0x2d]);
let directory: string;
let pair: Pair;
let ops: SseClient;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'steward-names-'));
  chmodSync(directory, 0o777);
  for (const name of NAMES) writeFileSync(join(directory, name), `content of ${name}`);
  writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), INVALID]), 'bytes');
  const tools = ['list', 'read', 'find', 'create', 'update', 'chmod', 'chown', 'filetype'].map((name) => `files/${name}`);
  pair = await startPair({
    grants: `  ops:\n    tools:\n${tools.map((tool) => `      ${tool}: {allowed: true, paths: [${directory}]}\n`).join('')}`,
  });
  ops = await pair.connect('ops');
});
after(async () => {
  await pair.stop();
  rmSync(directory, { recursive: true, force: true });
});

interface Entry {
  readonly name?: string;
  readonly path?: string;
  readonly path_base64?: string;
}

for (const privileged of [false, true]) {
  const who = privileged ? 'as root' : 'unprivileged';

  test(`every name is listed and found exactly, ${who}`, async () => {
    const list = await ops.call('files/list', { path: directory, all: true, output_format: 'json', privileged });
    const entries = JSON.parse(list.text) as Entry[];
    assert.deepEqual(
      NAMES.filter((name) => !entries.some((entry) => entry.name === name)),
      [],
    );
    const invalid = entries.filter((entry) => entry.path_base64 !== undefined);
    assert.deepEqual(
      invalid.map((entry) => Buffer.from(entry.path_base64 ?? '', 'base64')),
      [Buffer.concat([Buffer.from(`${directory}/`), INVALID])],
    );
    const found = await ops.call('files/find', { path: directory, type: 'f', output_format: 'json', privileged });
    const paths = (JSON.parse(found.text) as Entry[]).map((entry) => entry.path);
    assert.deepEqual(
      NAMES.filter((name) => !paths.includes(join(directory, name))),
      [],
    );
    assert.equal(paths.length, NAMES.length + 1);
  });

  test(`text has no raw control character, ${who}`, async () => {
    for (const [tool, args] of [
      ['files/list', { path: directory, long: false, all: true }],
      ['files/list', { path: directory, all: true }],
      ['files/find', { path: directory }],
    ] as const) {
      const { text } = await ops.call(tool, { ...args, privileged });
      // eslint-disable-next-line no-control-regex -- control characters are what is looked for
      assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/, tool);
      assert.ok(text.includes('new\\nline'), tool);
    }
  });

  test(`every name can be read, appended to and its mode changed, ${who}`, async () => {
    for (const name of NAMES) {
      const path = join(directory, name);
      const read = await ops.call('files/read', { path, privileged });
      assert.ok(read.text.startsWith(`content of ${name}`), `${JSON.stringify(name)}: ${read.text}`);
      if (!privileged && isRoot) continue;
      const update = await ops.call('files/update', { path, content: '+', append: true, privileged });
      assert.equal(update.isError, false, update.text);
      const chmod = await ops.call('files/chmod', { path, mode: '0600', privileged });
      assert.equal(chmod.isError, false, chmod.text);
      assert.equal(statSync(path).mode & 0o777, 0o600);
      await ops.call('files/chmod', { path, mode: '0644', privileged });
    }
  });
}

// abuse 71: frontend
test('an edit by lines keeps odd names and leaves nothing beside the file', async () => {
  const before = readdirSync(directory).length;
  for (const name of NAMES) {
    const path = join(directory, name);
    const args = { path, content: 'one line', start_line: 1, end_line: 9999, privileged: true };
    const answer = await ops.call('files/update', args);
    assert.equal(answer.isError, false, answer.text);
  }
  assert.equal(readdirSync(directory).length, before);
});

// abuse 105: frontend
test('the record holds every name in one line', () => {
  const objects = pair.records().map((record) => record.object);
  for (const name of NAMES) assert.ok(objects.includes(join(directory, name)), JSON.stringify(name));
});

test('paths that are no paths', async () => {
  const long = `/${'y'.repeat(256)}`;
  const cases: [string, RegExp][] = [
    ['relative', /^path must be absolute, got "relative"$/],
    ['/tmp/nul\u0000', /^invalid path /],
    [`/${'a/'.repeat(2100)}`, /^invalid path /],
    [long, /^invalid path |file name too long/],
  ];
  for (const privileged of [false, true]) {
    for (const [path, expected] of cases) {
      const answer = await ops.call('files/read', { path, privileged });
      assert.equal(answer.isError, true);
      assert.match(answer.text, expected);
    }
  }
});
