/** For tests of the host administration: a configuration directory, and commands run on it without a process. */
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeToken } from '@steward/shared/config/token.ts';
import { hostCommands } from '../host/index.ts';

const DAEMON = 'version: 1\nbroker: {frontend_account: nobody}\naudit: {directory: AUDIT}\n';
export const USERS = `# who may come in
version: 1
users:
  # the first one
  - name: alice   # admin
    account: ""
    tokens:
      - ${JSON.stringify(makeToken('laptop').entry)}
`;
export const GRANTS = `version: 1
# what they may do
users:
  alice:
    tools:
      # logs only
      files/read:            {allowed: true, paths: [/var/log]} # reading
      services/manage:
        allowed: true
        units: ["nginx.service"] # not more
`;

export interface Cleanup {
  after(fn: () => void): void;
}
export interface Answer {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** A configuration directory with one user, removed after the test. */
export function directoryFor(context: Cleanup): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'steward-host-')));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries({
    'daemon.yaml': DAEMON.replace('AUDIT', join(directory, 'audit')),
    'users.yaml': USERS,
    'grants.yaml': GRANTS,
  })) {
    writeFileSync(join(directory, name), text, { mode: 0o600 });
  }
  return directory;
}

/** Runs `group word ...`; options are given as `--name=value` or `--name`. */
export async function run(configDir: string, ...line: string[]): Promise<Answer> {
  const command = hostCommands.find(({ path }) => path.every((word, at) => line[at] === word));
  assert.ok(command, line.join(' '));
  const rest = line.slice(command.path.length);
  const options = new Map<string, string[]>();
  for (const text of rest.filter((one) => one.startsWith('--'))) {
    const [name = '', value = 'true'] = text.slice(2).split(/=(.*)/s);
    assert.ok(command.options.some((option) => option.name === name));
    options.set(name, [...(options.get(name) ?? []), value]);
  }
  const answer = { out: '', err: '' };
  const exit = await command.run({
    positional: rest.filter((one) => !one.startsWith('--')),
    options,
    configDir,
    out: { write: (text) => (answer.out += text) },
    err: { write: (text) => (answer.err += text) },
  });
  return { exit, ...answer };
}
