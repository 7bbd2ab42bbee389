/**
 * The audit log beside a real journald and under the shipped units of its expiry: what the journal holds decides about a log that
 * was cut or made anew, and old segments go while the broker writes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAnchors } from '@steward/shared/audit/anchor.ts';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { bootedHost } from '../support/host/suite.ts';
import { type Ran, output } from '../support/inside/inside.ts';
import { STEWARDCTL, startUnits, stopUnits } from '../support/inside/units.ts';
import { eventually } from '../support/pair.ts';

const LOG = '/var/log/steward/audit';
/** What only root can have written: anybody may use an identifier. */
const JOURNAL = 'journalctl --quiet --no-pager -t steward-audit _UID=0';
const ROTATE = 'steward-audit-rotate.service';
const MS = 120_000;

const host = bootedHost({
  grants:
    '  ops:\n    tools:\n      files/create: {allowed: true, paths: [/srv]}\n      files/read: {allowed: true, paths: [/srv]}\n',
  audit: '  seal_seconds: 1\n  keep_days: 1\n',
});
const { skip } = host;

const sh = (script: string): Promise<string> => output(host, 'sh', '-ec', script);
/** `verify`, with the lines of `noted`, a file or what a command prints, as the auditor's. */
const verify = (directory: string, noted?: string, more = ''): Promise<Ran> => {
  const ctl = `${STEWARDCTL.join(' ')} audit verify ${directory} ${more}`;
  return host.run(['sh', '-c', noted === undefined ? ctl : `${noted} | ${ctl} --key -`]);
};
/** The same of the log that is being written: a seal that comes a second late on a busy host makes its end look cut for a moment. */
const verifyRunning = (noted?: string): Promise<Ran> =>
  eventually(async () => {
    const said = await verify('', noted);
    return /^truncated: the end: the log is open/.test(said.stdout) ? undefined : said;
  }, MS);
const journal = async (): Promise<string> => {
  await output(host, 'journalctl', '--sync');
  return sh(`${JOURNAL} -o cat`);
};
/** Waits for a seal that the journal does not hold yet. */
async function anotherSeal(): Promise<void> {
  const before = readAnchors(await journal()).length;
  await eventually(async () => readAnchors(await journal()).length > before, MS);
}

let made = 0;
async function change(): Promise<void> {
  const client = await host.as('ops');
  const { isError, text } = await client.call('files/create', { path: `/srv/a${(made += 1)}`, content: 'x', privileged: true });
  assert.equal(isError, false, text);
}

test('every seal is announced in the journal, by the broker and nobody else', { skip }, async () => {
  await change();
  await anotherSeal();
  const anchors = readAnchors(await journal());
  assert.deepEqual(anchors[0], readAnchors(await sh(`cat ${LOG}/seal.pub`))[0], 'the first line is the first key');
  const [line = ''] = (await sh(`${JOURNAL} -o json --lines=1`)).split('\n');
  const entry = JSON.parse(line) as Record<string, string>;
  assert.deepEqual([entry['_UID'], entry['SYSLOG_IDENTIFIER'], entry['PRIORITY']], ['0', 'steward-audit', '5']);
  assert.match(entry['_SYSTEMD_UNIT'] ?? '', /^steward-broker@/);
  const records = (await host.audit()).split('\n').map((text) => JSON.parse(text) as AuditRecord);
  const sealed = new Map(records.map(({ seal }) => [seal?.key, seal?.hash]));
  for (const { key, hash } of anchors.slice(1)) assert.equal(sealed.get(key), hash);
  const good = await verifyRunning(`${JOURNAL} -o cat`);
  assert.equal(good.status, 0, `${good.stdout}${good.stderr}`);
});

test('a log that was cut behind a seal looks young, and the journal knows better', { skip }, async () => {
  await sh(`rm -rf /root/cut; cp -a ${LOG} /root/cut`);
  await change();
  await anotherSeal();
  const at = `--at ${await sh('date -u +%Y-%m-%dT%H:%M:%SZ -r /root/cut/seal.pub')}`;
  assert.equal((await verify('/root/cut', undefined, at)).status, 0, 'by its age nothing is missing');
  const { status, stdout } = await verify('/root/cut', `${JOURNAL} -o cat`, at);
  assert.equal(status, 2);
  assert.match(stdout, /^truncated: the end: the log was seen with epoch \d+ behind record \d+: not here\n$/);
});

test('a log that root made anew is whole with the key beside it, and not with what the journal holds', { skip }, async () => {
  await sh(`${JOURNAL} -o cat > /root/noted`);
  await stopUnits(host);
  await sh(`mv ${LOG} /root/log; mv /var/lib/steward/audit-seal /root/keys; mkdir -m 700 ${LOG}`);
  await startUnits(host);
  await eventually(async () => (await host.run(['test', '-e', `${LOG}/seal.pub`])).status === 0, MS);
  await stopUnits(host);
  const besides = await verify('');
  assert.equal(besides.status, 0, besides.stdout);
  const { status, stdout } = await verify('', 'cat /root/noted');
  assert.equal(status, 1);
  assert.match(stdout, /^altered: \d{8}T\d{6}Z-000001\.jsonl:\d+: .*(not signed with the key|noted elsewhere|not the one)/);
  await sh(`rm -rf ${LOG} /var/lib/steward/audit-seal; mv /root/log ${LOG}; mv /root/keys /var/lib/steward/audit-seal`);
  assert.equal((await verify('', 'cat /root/noted')).status, 0, 'the real one is back');
});

const segments = async (): Promise<string[]> => (await sh(`ls ${LOG}`)).split('\n').filter((name) => name.endsWith('.jsonl'));

/** Gives the oldest closed segments names of so many days ago. Only what is in a name tells the age of a segment. */
async function age(...days: readonly number[]): Promise<void> {
  await host.run(['chattr', '-a', LOG]);
  const names = await segments();
  for (const [index, ago] of days.entries()) {
    const name = names[index] ?? '';
    await sh(`cd ${LOG}; mv ${name} $(date -u -d '${ago} days ago' +%Y%m%dT%H%M%SZ)${name.slice(16)}`);
  }
}

/** Does `work` between calls that are made, and recorded, one after the other all the while. */
async function underLoad<T>(work: () => Promise<T>): Promise<T> {
  let over = false;
  await change();
  const load = (async () => {
    for (; !over; await sleep(40)) await change(); // below the rate that a user may have
  })();
  const [result] = await Promise.all([work().finally(() => (over = true)), load]);
  await change();
  return result;
}

test('the unit that lets segments expire removes what is due while the broker writes', { skip }, async () => {
  for (let run = 0; run < 3; run += 1) await host.startPair(); // each start begins a segment
  await age(10, 9, 8);
  const before = await segments();
  const result = await underLoad(() => host.run(['systemctl', 'start', ROTATE]));
  assert.equal(result.status, 0, result.stderr);
  // The third was still being written when it was eight days ago, as far as its name can tell: its successor is of today.
  assert.deepEqual((await segments()).slice(0, 2), before.slice(2, 4));
  const said = await sh(`journalctl --quiet --no-pager -u ${ROTATE} -o cat`);
  assert.match(said, /^2 segments older than 1 days removed from \/var\/log\/steward\/audit$/m);
  assert.equal(readAnchors(said).length, 1, 'where the rest begins is in the journal too');
  for (const noted of [undefined, `${JOURNAL} -o cat`]) {
    const { status, stdout } = await verifyRunning(noted);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /segments 1 to 2 have expired/);
  }
});

test('nothing can be taken from the directory in between, where the file system has the flag', { skip }, async (context) => {
  const flags = await host.run(['lsattr', '-d', LOG]);
  if (flags.status !== 0) return context.diagnostic('this file system has no flags');
  assert.match(flags.stdout, /^-*a/);
  const [oldest = ''] = await segments();
  assert.notEqual((await host.run(['rm', '-f', `${LOG}/${oldest}`])).status, 0);
});

test('what does not verify stays, and the unit fails; the broker goes on', { skip }, async () => {
  await age(9, 8); // the first has the name of eight days ago already
  const before = await segments();
  const damaged = `${LOG}/${before[0] ?? ''}`;
  await sh(`cp -a ${damaged} /root/damaged; sed -i '1s/"kind":"start"/"kind":"START"/' ${damaged}`);
  const result = await underLoad(() => host.run(['systemctl', 'start', ROTATE]));
  assert.notEqual(result.status, 0);
  assert.deepEqual(await segments(), before);
  assert.match(
    await sh(`journalctl --quiet --no-pager -u ${ROTATE} -o cat`),
    /^audit-rotate: nothing removed: \S+-000003\.jsonl:\d+: .* \(see stewardctl audit verify\)$/m,
  );
  await host.run(['chattr', '-a', LOG]);
  await sh(`cp -a /root/damaged ${damaged}; systemctl reset-failed ${ROTATE}; systemctl start ${ROTATE}`);
  assert.deepEqual(await segments(), before.slice(1));
  assert.equal((await verifyRunning()).status, 0);
});

test('the timer starts it daily, and catches up after a day off', { skip }, async () => {
  await output(host, 'systemctl', 'enable', '--now', 'steward-audit-rotate.timer');
  const shown = await output(
    host,
    'systemctl',
    'show',
    '-p',
    'ActiveState,Unit,Persistent,TimersCalendar',
    'steward-audit-rotate.timer',
  );
  assert.match(shown, /^ActiveState=active$/m);
  assert.match(shown, /^Unit=steward-audit-rotate\.service$/m);
  assert.match(shown, /^Persistent=yes$/m);
  assert.match(shown, /OnCalendar=\*-\*-\* 00:00:00/);
});
