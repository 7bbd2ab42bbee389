/** logs/logins on a booted host: records that login(1) and the boot wrote, compared with last(1) and lastb(1). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedHost } from '../support/host/suite.ts';
import { type Inside, output } from '../support/inside/inside.ts';
import { eventually } from '../support/pair.ts';

const host = bootedHost({
  accounts: ['alice', 'bob'],
  grants: '  ops:\n    tools:\n      logs/logins: {allowed: true}\n',
  prepare,
});
const { skip } = host;
interface Entry {
  readonly user: string;
  readonly tty: string;
  readonly host: string;
  readonly login: string;
  readonly logout: string | null;
  readonly state: string;
}

/** login(1) wants a terminal, which script(1) gives it. */
const login = (account: string, from: string): string[] => ['script', '-qec', `login -f -h ${from} ${account}`, '/dev/null'];

async function prepare(inside: Inside): Promise<void> {
  await output(inside, 'touch', '/var/log/btmp');
  await inside.run(login('alice', '192.0.2.7'), 'exit\n');
  await inside.run(login('bob', '192.0.2.8'), 'exit\n');
  // A wrong password: login drops what was typed before it asked, and tells of it some seconds later.
  const failing = "while sleep 1; do echo wrong; done | script -qec 'login -h 192.0.2.9 alice' /dev/null";
  await output(inside, 'systemd-run', '--quiet', '--unit=failing.service', '--', 'sh', '-c', failing);
  await eventually(async () => (await last(inside, 'lastb')).length > 0, 20_000);
  await output(inside, 'systemctl', 'stop', 'failing.service');
  await output(inside, 'systemd-run', '--quiet', '--unit=open.service', '--', ...login('alice', '192.0.2.10'));
  await eventually(async () => (await last(inside, 'last')).some((line) => line.includes('still logged in')));
}

/** Lines of last or lastb, without the empty one and the one that tells the file's age. */
async function last(inside: Inside, program: 'last' | 'lastb'): Promise<string[]> {
  const lines = (await output(inside, program, '--time-format=iso', '--fullnames')).split('\n');
  return lines.filter((line) => line.trim() !== '' && !/^[bw]tmp begins/.test(line));
}

async function entries(user: string, args: object): Promise<Entry[]> {
  const answer = await (await host.as(user)).call('logs/logins', { output_format: 'json', ...args });
  assert.equal(answer.isError, false, answer.text);
  return (JSON.parse(answer.text) as { entries: Entry[] }).entries;
}

test('logins and boots are those of last, in its order', { skip }, async () => {
  const [expected, found] = [await last(host, 'last'), await entries('guest', {})];
  assert.ok(expected.length >= 4, expected.join('\n'));
  assert.equal(found.length, expected.length);
  found.forEach((entry, index) => {
    const line = expected[index] ?? '';
    assert.ok(line.startsWith(entry.user) && line.includes(entry.tty), `${line} | ${JSON.stringify(entry)}`);
    assert.ok(line.includes(entry.login.slice(0, 19)), `${line} | ${entry.login}`);
    assert.equal(line.includes('still logged in') || line.includes('still running'), entry.logout === null, line);
  });
});

test('closed and open sessions and where they came from', { skip }, async () => {
  const alices = await entries('guest', { user: 'alice' });
  assert.deepEqual(
    alices.map(({ host: from, state }) => [from, state]),
    [
      ['192.0.2.10', 'open'],
      ['192.0.2.7', 'closed'],
    ],
  );
  const [bob] = await entries('guest', { user: 'bob' });
  assert.equal(bob?.state, 'closed');
  const boot = (await entries('guest', {})).at(-1);
  assert.deepEqual([boot?.user, boot?.tty, boot?.state], ['reboot', 'system boot', 'boot']);
  assert.equal(boot?.host, await output(host, 'uname', '-r'));
});

test('the text has a line for each', { skip }, async () => {
  const { text } = await (await host.as('guest')).call('logs/logins', { user: 'alice' });
  const [open = '', closed = ''] = text.split('\n');
  assert.match(open, /^alice {4}pts\/\d+ +192\.0\.2\.10 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d still logged in$/);
  assert.match(closed, /^alice {4}pts\/\d+ +192\.0\.2\.7 +\d{4}-.* - \d{4}-.* \(00:0\d\)$/);
  assert.equal((await entries('guest', { limit: 1 })).length, 1);
});

test('failed logins are for root to read', { skip }, async () => {
  const found = await entries('ops', { type: 'failed', privileged: true });
  const expected = await last(host, 'lastb');
  assert.equal(found.length, expected.length);
  assert.deepEqual(
    found.map(({ user, host: from, state }) => [user, from, state]),
    [['alice', '192.0.2.9', 'failed']],
  );
  const guest = await (await host.as('guest')).call('logs/logins', { type: 'failed' });
  assert.equal(guest.text, 'failed to read login records: /var/log/btmp: permission denied');
  const ops = await (await host.as('ops')).call('logs/logins', { type: 'failed' });
  const hint = ' (logs/logins is granted to you as root in grants.yaml: retry with privileged: true)';
  assert.equal(ops.text, `${guest.text}${hint}`);
});

test('what is no type and no user', { skip }, async () => {
  const guest = await host.as('guest');
  assert.equal((await guest.call('logs/logins', { type: 'foo' })).text, 'invalid type "foo": must be "success" or "failed"');
  assert.equal((await guest.call('logs/logins', { user: '-a' })).text, 'invalid user "-a"');
});
