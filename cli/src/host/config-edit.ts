/**
 * stewardctl config edit: opens the administrator's editor on a copy of one file and puts the result in place only when the
 * daemon's own loader takes it. Other edits wait meanwhile; the copy is for this account alone.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSnapshot, readTexts, type ConfigTexts } from '@steward/shared/config/load.ts';
import { reasonOf } from '@steward/shared/errors.ts';
import { takeWords } from './answer.ts';
import type { HostCall, HostCommand } from './command.ts';
import { save } from './edit.ts';
import { withLock } from '../lock.ts';
import { CliError, EXIT, usageError } from '../exit.ts';

const NAMES = ['daemon', 'users', 'grants'] as const;
type Name = (typeof NAMES)[number];

/** As git(1) and others choose it: VISUAL, EDITOR, else vi. Blanks divide its words; no shell is involved. */
function editorCommand(): string[] {
  const given = (process.env['VISUAL'] || process.env['EDITOR'] || 'vi').trim();
  return given.split(/\s+/);
}

/** Runs the editor on a file; throws when it cannot be started or fails. */
function runEditor(path: string): void {
  const [program = 'vi', ...words] = editorCommand();
  const { status, error } = spawnSync(program, [...words, path], { stdio: 'inherit' });
  if (error !== undefined) throw new CliError(EXIT.failed, `cannot run the editor ${program}: ${reasonOf(error)}`);
  if (status !== 0)
    throw new CliError(EXIT.failed, `the editor ${program} ended with status ${status ?? 'unknown'}: nothing is changed`);
}

/** The text after editing. */
function edited(name: Name, text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'stewardctl-edit-'));
  try {
    const copy = join(directory, `${name}.yaml`);
    writeFileSync(copy, text, { mode: 0o600 });
    runEditor(copy);
    return readFileSync(copy, 'utf8');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function edit(call: HostCall): Promise<number> {
  const [word = ''] = takeWords(call, 'config edit', 'daemon, users or grants');
  const name = NAMES.find((known) => known === word);
  if (name === undefined) throw usageError(`config edit ${word}: there is ${NAMES.join(', ')}`);
  const { directory } = readTexts(call.configDir);
  return withLock(directory, async () => {
    const { texts } = readTexts(directory);
    const after: ConfigTexts = { ...texts, [name]: edited(name, texts[name]) };
    if (after[name] === texts[name]) {
      call.out.write(`${name}.yaml is as it was\n`);
      return EXIT.done;
    }
    parseSnapshot(after, directory);
    await save(directory, texts, after);
    call.out.write(`${name}.yaml is changed\n`);
    return EXIT.done;
  });
}

export const configEditCommands: readonly HostCommand[] = [
  {
    path: ['config', 'edit'],
    usage: 'daemon|users|grants',
    summary: 'Open a configuration file in $VISUAL or $EDITOR; a broken result is refused',
    details: [
      'The editor works on a copy. What it leaves is checked as the daemon would, and replaces the file whole or not at all.',
    ],
    options: [],
    changes: true,
    run: edit,
  },
];
