/**
 * The table kept to its word: every row runs once as root under strace(1), and what the kernel saw is compared with what the row
 * declares. Programs with their arguments, files read and written, sockets, signals: nothing besides. The shipped bundle runs.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { EVERY_CALL } from '@steward/shared/catalogue/every-call.ts';
import { CONTAINER_ID } from '@steward/shared/testing/docker.ts';
import type { FakeEngine } from '@steward/shared/testing/fake-engine.ts';
import { smallEngine } from '@steward/shared/testing/small-engine.ts';
import { endVictim, startVictim } from '@steward/shared/testing/victims.ts';
import { TABLE } from '../../broker/src/table.ts';
import { DIST, isRoot } from '../support/pair.ts';
import { makeHome, startBroker, type BrokerHome, type RawBroker } from '../support/raw-broker.ts';
import { cases } from '../support/trace/cases.ts';
import { accountWithoutCrontab, aDisk, grantsFor, needsCron, type Stage } from '../support/trace/stage.ts';
import { Judge } from '../support/trace/declared.ts';
import { TRACED, TraceReader, type TraceEvent } from '../support/trace/events.ts';

const STRACE = '/usr/bin/strace';
const skip = !isRoot ? 'needs root' : existsSync(STRACE) ? needsCron : 'needs strace';

let home: BrokerHome;
let broker: RawBroker;
let engine: FakeEngine;
let stage: Stage;
let traceFile = '';
const reader = new TraceReader();
let at = 0;

before(async () => {
  if (skip !== false) return;
  const tree = mkdtempSync(join(tmpdir(), 'steward-declared-'));
  mkdirSync(join(tree, 'deep'));
  for (const name of ['file', 'other', 'deep/file']) writeFileSync(join(tree, name), 'one\ntwo\n');
  engine = await smallEngine();
  stage = { tree, victim: startVictim({ uid: 65534 }), account: accountWithoutCrontab(), disk: aDisk(), container: CONTAINER_ID };
  home = makeHome(grantsFor(stage));
  // The whole block, because makeHome writes one itself.
  const daemon = readFileSync(join(home.configDir, 'daemon.yaml'), 'utf8');
  const block = `broker: {frontend_account: nobody, engine_socket: ${engine.socket}}`;
  writeFileSync(join(home.configDir, 'daemon.yaml'), daemon.replace(/^broker: .*$/m, block), { mode: 0o600 });
  traceFile = join(home.directory, 'trace');
  const wrap = [STRACE, '-f', '-y', '-qq', '-s', '4096', '--seccomp-bpf', '-e', `trace=${TRACED}`, '-o', traceFile, '--'];
  broker = await startBroker(home, { bundle: true, wrap });
  const { client } = broker;
  client.onMessage = (message) => {
    if (message.type === 'propose') client.send({ type: 'accept', generation: message.generation });
  };
  await client.hello();
  await client.open(home.token('ops'));
  newEvents();
});
after(async () => {
  if (skip !== false) return;
  await broker.stop();
  await engine[Symbol.asyncDispose]();
  endVictim(stage.victim);
  rmSync(stage.tree, { recursive: true });
  home.remove();
});

/** What the kernel saw since the last time. strace writes a line before the call goes on. */
function newEvents(): TraceEvent[] {
  const text = readFileSync(traceFile, 'latin1');
  const end = text.lastIndexOf('\n') + 1;
  const events = reader.read(text.slice(at, end));
  at = end;
  return events;
}

function judge(): Judge {
  const granted = [stage.tree];
  return new Judge({
    classes: {
      'what `paths` covers, but the protected objects': granted,
      'what the `file://` list covers, but the protected objects': granted,
      'audit.directory': [home.auditDir],
      'state directory': [home.stateDir],
      'protected directories': [home.configDir, home.stateDir, home.auditDir, '/etc/steward', '/run/steward', '/var/lib/steward'],
      'program directory': [DIST, dirname(realpathSync(process.execPath))],
      ...Object.fromEntries(['daemon.yaml', 'users.yaml', 'grants.yaml'].map((name) => [name, [join(home.configDir, name)]])),
    },
    sockets: { 'broker.engine_socket': engine.socket },
    every: EVERY_CALL,
  });
}

/** The programs that rows name and that this machine has. */
const installed = (name: string): boolean => ['/usr/bin', '/usr/sbin'].some((directory) => existsSync(`${directory}/${name}`));

// abuse 50: broker
test('every row does what it declares and nothing besides', { skip, timeout: 240_000 }, async () => {
  const all = cases(stage);
  const undeclared: string[] = [];
  const started = new Map<string, Set<string>>();
  const seen = new Map<string, TraceEvent[]>();
  for (const one of all) {
    const row = TABLE.find(({ op }) => op.name === one.op) ?? assert.fail(`no row ${one.op}`);
    const { op, args, upload } = one;
    const answer = await broker.client.call(op, args, upload === undefined ? {} : { upload });
    assert.ok(
      answer.key === undefined || one.or?.includes(answer.key) === true,
      `${op}: ${answer.key ?? ''} ${JSON.stringify(answer.params)}`,
    );
    const events = newEvents();
    seen.set(op, [...(seen.get(op) ?? []), ...events]);
    undeclared.push(
      ...judge()
        .undeclared(row, events)
        .map((line) => `${op}: ${line}`),
    );
    for (const { kind, argv } of events) if (kind === 'exec') started.set(op, (started.get(op) ?? new Set()).add(argv[0] ?? ''));
  }
  assert.deepEqual(undeclared, []);
  // The other direction: what is declared is used.
  assert.deepEqual([...new Set(all.map(({ op }) => op))].sort(), TABLE.map(({ op }) => op.name).sort(), 'a case for every row');
  for (const { op, touches } of TABLE) {
    const named = new Set(touches.programs.map(({ name }) => name).filter(installed));
    assert.deepEqual(started.get(op.name) ?? new Set(), named, `${op.name} starts the programs that its row names`);
  }
  findsWhatIsNotDeclared(seen);
});

/** The same events under rows that declare less: what this test is there to find, it finds. */
function findsWhatIsNotDeclared(seen: ReadonlyMap<string, readonly TraceEvent[]>): void {
  const found = (did: string, declares: string): string => {
    const row = TABLE.find(({ op }) => op.name === declares) ?? assert.fail(declares);
    return judge()
      .undeclared(row, seen.get(did) ?? [])
      .join('\n');
  };
  assert.match(found('files/update', 'files/create'), /^exec \/usr\/bin\/cp /m);
  assert.match(found('files/create', 'files/read'), /^write .*\/new/m);
  assert.match(found('files/chmod', 'files/list'), /^change .*\/file /m);
  assert.match(found('files/read', 'users/list'), /^read .*\/file /m);
  assert.match(found('kernel/system-control', 'files/create'), /^write \/proc\/sys\/net\/ipv4\/ip_default_ttl /m);
  assert.match(found('docker/images', 'users/list'), /^connect .*\/engine.sock /m);
  assert.match(found('processes/delete', 'processes/list'), /^signal \d+ /m);
  assert.match(found('cron/manage', 'resource/crontab'), /^exec \/usr\/bin\/crontab .*"-r"/m);
}
