/** A grant that is narrowed while a recursive change of a client runs: the change ends as it was judged, the next one is refused. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { eventually, startPair, type Pair } from '../support/pair.ts';

let tree: string;
let pair: Pair;
const grants = (directory: string): string => `  ops:\n    tools:\n      files/chmod: {allowed: true, paths: ["${directory}"]}\n`;

before(async () => {
  tree = mkdtempSync(join(tmpdir(), 'steward-narrowed-'));
  chmodSync(tree, 0o755);
  for (let directory = 0; directory < 100; directory += 1) {
    mkdirSync(join(tree, String(directory)));
    for (let file = 0; file < 50; file += 1) writeFileSync(join(tree, `${directory}/${file}`), '');
  }
  pair = await startPair({ users: ['ops'], grants: grants(tree) });
});
after(async () => {
  await pair.stop();
  rmSync(tree, { recursive: true, force: true });
});

const recorded = (kind: AuditRecord['kind']): AuditRecord | undefined => pair.records().find((record) => record.kind === kind);

// abuse 43: frontend
test('each call is judged by the grants of its time, and says so', async () => {
  const client = await pair.connect('ops');
  const change = { path: tree, mode: 'u+x', recursive: true, privileged: true };
  const running = client.call('files/chmod', change);
  await eventually(() => recorded('intent'));
  pair.writeGrants(grants('/nowhere'));
  pair.launcher.kill('SIGHUP');
  await eventually(() => recorded('reload'));
  const ended = await running;
  assert.equal(ended.isError, false, ended.text);
  const next = await client.call('files/chmod', change);
  assert.equal(next.code, 'RESTRICTED', next.text);
  assert.notEqual(recorded('intent')?.grants, recorded('refusal')?.grants);
});
