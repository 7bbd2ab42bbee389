/** The journal of a booted host: by unit, boot and time, compared with journalctl. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedHost } from '../support/host/suite.ts';
import { install, output } from '../support/inside/inside.ts';

const host = bootedHost({ grants: `  ops:\n    tools:\n      logs/journal-control: {allowed: true}\n` });
const { skip } = host;

test('units that say something', { skip }, async () => {
  await install(
    host,
    '/etc/systemd/system/t-says.service',
    '[Service]\nType=oneshot\nExecStart=/bin/echo one two\nExecStart=/bin/echo three\n',
  );
  await install(
    host,
    '/etc/systemd/system/t-floods.service',
    '[Service]\nType=oneshot\nLogRateLimitIntervalSec=0\nExecStart=/bin/sh -c \'i=0; while [ $$i -lt 9000 ]; do printf "%%05d %%0700d\\\\n" $$i 0; i=$$((i+1)); done\'\n',
  );
  await output(host, 'systemctl', 'daemon-reload');
  await output(host, 'systemctl', 'start', 't-says.service');
});

const ask = async (args: Record<string, unknown>, user = 'ops') =>
  (await host.as(user)).call('logs/journal-control', { privileged: true, ...args });

test('lines of a unit as journalctl prints them', { skip }, async () => {
  await output(host, 'journalctl', '--sync');
  const truth = await output(host, 'journalctl', '--unit=t-says', '--output=short', '--no-pager', '--quiet');
  assert.match(truth, /one two/);
  const { text, isError } = await ask({ unit: 't-says' });
  assert.equal(isError, false);
  const withoutZone = (lines: string): string[] => lines.split('\n').map((line) => line.slice(line.indexOf(' steward-host ')));
  assert.deepEqual(withoutZone(text), withoutZone(truth));
  assert.deepEqual(withoutZone((await ask({ unit: 't-says', reverse: true })).text), withoutZone(truth).toReversed());
  assert.equal((await ask({ unit: 't-says', lines: 2 })).text.split('\n').length, 2);
});

test('one object per line', { skip }, async () => {
  const { text } = await ask({ unit: 't-says', output_format: 'json', boot: true });
  const messages = text.split('\n').map((line) => (JSON.parse(line) as { MESSAGE: string }).MESSAGE);
  assert.ok(messages.includes('one two') && messages.includes('three'));
  assert.equal((await ask({ unit: 't-none', output_format: 'json' })).text, '');
});

test('nothing matches', { skip }, async () => {
  for (const args of [
    { unit: 't-none' },
    { unit: '--version' },
    { unit: '-f' },
    { since: '2099-01-01' },
    { until: '2000-01-01' },
  ]) {
    assert.equal((await ask(args)).text, 'No journal entries match.', JSON.stringify(args));
  }
  assert.notEqual((await ask({ since: '-1h', until: 'now' })).text, 'No journal entries match.');
});

test('what is wrong is said', { skip }, async () => {
  assert.equal((await ask({ since: 'bogus' })).text, 'invalid since "bogus"');
  assert.equal((await ask({ until: '$(id)' })).text, 'invalid until "$(id)"');
  assert.equal((await ask({ unit: 'a\nb' })).text, 'invalid unit "a\nb"');
  assert.match((await ask({ boot_offset: -7 })).text, /^journalctl error: exit status 1, stderr: /);
});

test('an ordinary account is told how to get further', { skip }, async () => {
  const { text, isError } = await ask({ privileged: false });
  assert.equal(isError, true);
  assert.match(
    text,
    /insufficient permissions\. \(logs\/journal-control is granted to you as root in grants\.yaml: retry with privileged: true\)$/,
  );
  assert.doesNotMatch((await ask({ privileged: false }, 'guest')).text, /retry/);
  assert.match((await ask({}, 'guest')).text, /^Permission denied: user guest/);
});

test('too much is cut to the newest 4 MiB', { skip }, async () => {
  await output(host, 'systemctl', 'start', 't-floods.service');
  await output(host, 'journalctl', '--sync');
  const numbers = (text: string): number[] =>
    text
      .split('\n')
      .map((line) => /: (\d{5}) 0{700}$/.exec(line)?.[1])
      .filter((number) => number !== undefined)
      .map(Number);
  for (const reverse of [false, true]) {
    const { text } = await ask({ unit: 't-floods', lines: 10_000, reverse });
    assert.ok(text.startsWith('[WARNING: Output truncated to the newest 4 MiB]\n'));
    assert.ok(Buffer.byteLength(text) <= 4 * 1024 * 1024 + 100);
    const seen = reverse ? numbers(text).toReversed() : numbers(text);
    assert.equal(seen.at(-1), 8999);
    assert.ok(seen.length > 5000 && seen.length < 9000, String(seen.length));
    assert.deepEqual(
      seen,
      Array.from({ length: seen.length }, (_, index) => 9000 - seen.length + index),
    );
  }
  const json = await ask({ unit: 't-floods', lines: 10_000, output_format: 'json' });
  const lines = json.text.split('\n');
  assert.equal(lines[0], '{"truncated":true}');
  for (const line of lines) JSON.parse(line);
});
