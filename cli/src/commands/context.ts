/** `context list|use|remove`: the contexts of the configuration file. Edits keep comments and order, and replace the file whole. */
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { OwnCommand } from './own.ts';
import { readWords } from './words.ts';
import { readContexts, type ContextFile } from '../context/file.ts';
import { EXIT, usageError } from '../exit.ts';
import { hint } from '../nearest.ts';
import { drawTable } from '../render/table.ts';
import type { Io } from '../io.ts';

type Edit = (document: { setIn(path: string[], value: unknown): void; deleteIn(path: string[]): unknown }) => void;

async function edit(file: ContextFile, change: Edit): Promise<void> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(readFileSync(file.path, 'utf8'));
  change(document);
  const made = `${file.path}.new-${process.pid}`;
  try {
    writeFileSync(made, document.toString({ lineWidth: 0 }), { mode: 0o600, flag: 'wx' });
    chmodSync(made, 0o600);
    renameSync(made, file.path);
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
}

function mustExist(file: ContextFile, name: string): void {
  if (!file.contexts.has(name)) throw usageError(`no context named "${name}" in ${file.path}${hint(name, file.contexts.keys())}`);
}

function list(file: ContextFile, io: Io): void {
  if (file.contexts.size === 0) {
    io.stdout.write(`No contexts in ${file.path}.\n`);
    return;
  }
  const rows = [...file.contexts].map(([name, entry]) => [name === file.current ? '*' : '', name, entry.server ?? '']);
  io.stdout.write(drawTable(['current', 'name', 'server'], rows));
}

export const context: OwnCommand = {
  name: 'context',
  usage: 'list | use NAME | remove NAME',
  summary: 'Show or change the contexts of the configuration file',
  local: true,
  run: async (call) => {
    const [action = '', ...words] = call.words;
    const file = await readContexts(call.io.env);
    if (action === 'list') {
      readWords('context list', [], { ...call, words });
      list(file, call.io);
    } else if (action === 'use' || action === 'remove') {
      const name = readWords(`context ${action}`, ['name'], { ...call, words }).values.get('name') ?? '';
      mustExist(file, name);
      await edit(file, (document) => {
        if (action === 'use') document.setIn(['current'], name);
        else document.deleteIn(['contexts', name]);
        // Kept with an empty value: a comment above it may be about the whole file.
        if (action === 'remove' && file.current === name) document.setIn(['current'], null);
      });
    } else throw usageError(`context ${action}: use context list, context use NAME or context remove NAME`);
    return EXIT.done;
  },
};
