/** The journal of a booted host divided by times and boots, and a unit whose name looks like an option. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootedHost } from '../support/host/suite.ts';
import { type Inside, install, output } from '../support/inside/inside.ts';

const host = bootedHost({ grants: '  ops:\n    tools:\n      logs/journal-control: {allowed: true}\n', prepare });
const { skip } = host;
/** journalctl would take it for an option if it were not glued to one. */
const ODD = '--version.service';
let middle = '';

async function prepare(inside: Inside): Promise<void> {
  const says = (words: string): string => `[Service]\nType=oneshot\nSyslogIdentifier=teller\nExecStart=/bin/echo ${words}\n`;
  await install(inside, '/etc/systemd/system/first.service', says('first words'));
  await install(inside, '/etc/systemd/system/second.service', says('second words'));
  await install(inside, `/etc/systemd/system/${ODD}`, says('odd words'));
  await output(inside, 'systemctl', 'daemon-reload');
  await output(inside, 'systemctl', 'start', '--', 'first.service', ODD);
  await output(inside, 'sleep', '1.1');
  middle = await output(inside, 'date', '+%Y-%m-%d %H:%M:%S');
  await output(inside, 'sleep', '0.2');
  await output(inside, 'systemctl', 'start', 'second.service');
  await output(inside, 'journalctl', '--sync');
}

async function journal(args: object): Promise<string> {
  const answer = await (await host.as('ops')).call('logs/journal-control', { privileged: true, ...args });
  assert.equal(answer.isError, false, answer.text);
  return answer.text;
}

test('a unit name that looks like an option is a name', { skip }, async () => {
  const text = await journal({ unit: ODD });
  assert.match(text, /teller\[\d+\]: odd words/);
  assert.ok(!text.includes('first words'), text);
  for (const unit of ['-h', '--output=cat', '--file=/etc/shadow', '$(id)']) {
    assert.equal(await journal({ unit }), 'No journal entries match.', unit);
  }
});

test('since and until divide the entries', { skip }, async () => {
  const later = await journal({ since: middle, lines: 10_000 });
  assert.ok(later.includes('second words') && !later.includes('first words'), later);
  const earlier = await journal({ until: middle, lines: 10_000 });
  assert.ok(earlier.includes('first words') && !earlier.includes('second words'));
  assert.equal(await journal({ unit: 'second.service', until: middle }), 'No journal entries match.');
  assert.match(await journal({ unit: 'second.service', since: '-1h' }), /second words/);
});

test('the present boot, by both ways of asking for it', { skip }, async () => {
  const now = await journal({ unit: 'second.service', boot: true });
  assert.match(now, /second words/);
  assert.equal(await journal({ unit: 'second.service', boot_offset: 0 }), now);
  const previous = await (await host.as('ops')).call('logs/journal-control', { privileged: true, boot_offset: -1 });
  assert.match(previous.text, /^journalctl error: exit status 1, stderr: .*boot/i);
});
