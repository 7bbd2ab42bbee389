/** The manual: every command and option is in help and page, and the pages are what man(1) reads. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { HOST_WORDS } from '../commands/host.ts';
import { hostCommands } from '../host/index.ts';
import { OWN_COMMANDS } from '../commands/index.ts';
import { OPTIONS } from '../options.ts';
import { manual } from './all.ts';
import { synopsis } from './entry.ts';
import { commandHelp, helpText } from './help.ts';
import { configurationPage, stewardctlPage, stewardPage } from './pages.ts';
import { escape, toRoff } from './roff.ts';

const daemon = readFileSync(new URL('../../../packaging/daemon.yaml', import.meta.url), 'utf8');
const pages = [stewardctlPage(await manual(), '1.2.3'), stewardPage('1.2.3'), configurationPage(daemon, '1.2.3')];

test('every command and every option is in the help text and in the page', async () => {
  const { own, host } = await manual();
  assert.equal(own.length, OWN_COMMANDS.filter((command) => command.hidden !== true).length);
  assert.equal(host.length, hostCommands.length, 'those of HOST_WORDS are all');
  for (const word of Object.keys(HOST_WORDS))
    assert.ok(
      host.some(({ words }) => words[0] === word),
      word,
    );
  const page = toRoff(pages[0]!);
  const help = helpText({ own, host });
  for (const entry of [...own, ...host]) {
    assert.ok(help.includes(`  ${entry.words.join(' ')}`), entry.words.join(' '));
    assert.ok(page.includes(`.B "${escape(synopsis(entry)).replaceAll('"', '\\(dq')}"`), synopsis(entry));
    for (const option of entry.options) assert.ok(commandHelp(entry).includes(`--${option.name}`), option.name);
  }
  for (const { name } of OPTIONS) assert.ok(page.includes(escape(`--${name}`)), name);
});

test('every key of daemon.yaml is in its page', () => {
  const page = toRoff(pages[2]!);
  for (const key of ['seal_seconds', 'max_calls_per_session', 'deny_private']) assert.ok(page.includes(key), key);
});

test('roff cannot take text for requests', () => {
  assert.equal(escape(".TH 'x' \\fB"), '\\&.TH \\(aqx\\(aq \\efB');
  for (const page of pages.map(toRoff)) {
    const requests = page.split('\n').filter((line) => /^['.]/.test(line));
    for (const line of requests) assert.match(line, /^\.(TH|SH|PP|TP|B|nf|fi|\\")( |$)/, line);
  }
});

const hasMandoc = spawnSync('mandoc', [], { input: '' }).error === undefined;
test('mandoc finds nothing wrong with the pages', { skip: !hasMandoc && 'mandoc is not installed' }, () => {
  for (const page of pages) {
    const { status, stdout, error } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning'], {
      input: toRoff(page),
      encoding: 'utf8',
    });
    assert.ifError(error);
    // They bear no date, so that they come out the same whenever they are made.
    const found = stdout.split('\n').filter((line) => line !== '' && !/missing date/.test(line));
    assert.deepEqual(found, [], `${page.name}: status ${status}`);
  }
});
