/** `context list|use|remove`: the contexts of the configuration file. Edits keep comments and order, and replace the file whole. */
import type { OwnCommand } from './own.ts';
import { readWords } from './words.ts';
import { noContext, readContexts, type ContextFile } from '../context/file.ts';
import { editContexts } from '../context/store.ts';
import { EXIT, usageError } from '../exit.ts';
import { drawTable } from '../render/table.ts';
import type { Io } from '../io.ts';

function mustExist(file: ContextFile, name: string): void {
  if (!file.contexts.has(name)) throw noContext(file, name);
}

function list(file: ContextFile, io: Io): void {
  if (file.contexts.size === 0) {
    io.stdout.write(`No contexts in ${file.path}: stewardctl login URL makes one.\n`);
    return;
  }
  const rows = [...file.contexts].map(([name, entry]) => [name === file.current ? '*' : '', name, entry.server ?? '']);
  io.stdout.write(drawTable(['current', 'name', 'server'], rows, io.stdout));
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
      await editContexts(file, (document) => {
        if (action === 'use') document.setIn(['current'], name);
        else document.deleteIn(['contexts', name]);
        // Kept with an empty value: a comment above it may be about the whole file.
        if (action === 'remove' && file.current === name) document.setIn(['current'], null);
      });
    } else
      throw usageError(
        `${action === '' ? 'context needs another word' : `unknown command context ${action}`}: stewardctl context list, use NAME or remove NAME`,
      );
    return EXIT.done;
  },
};
