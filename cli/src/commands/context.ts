/** `context list|use|remove`: the contexts of the configuration file. Edits keep comments and order, and replace the file whole. */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OwnCommand } from './own.ts';
import { readWords } from './words.ts';
import { noContext, readContexts, type ContextFile } from '../context/file.ts';
import { editContexts, storedTokenOf } from '../context/store.ts';
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

async function use(name: string, { env }: Io): Promise<void> {
  await editContexts(env, (document, file) => {
    mustExist(file, name);
    document.setIn(['current'], name);
  });
}

/** Takes a context out of the file, of its groups too, and removes the token that login has stored for it. */
async function remove(name: string, { env }: Io): Promise<void> {
  await editContexts(env, (document, file) => {
    mustExist(file, name);
    document.deleteIn(['contexts', name]);
    for (const [group, members] of file.groups) {
      const places = members.flatMap((member, at) => (member === name ? [at] : []));
      if (places.length === members.length) document.deleteIn(['groups', group]);
      else for (const at of places.reverse()) document.deleteIn(['groups', group, at]);
    }
    // Kept with an empty value: a comment above it may be about the whole file.
    if (file.current === name) document.setIn(['current'], null);
    const others = [...file.contexts].filter(([other]) => other !== name).map(([, entry]) => entry.token_file);
    const own = file.contexts.get(name)?.token_file;
    if (own === storedTokenOf(name) && !others.includes(own)) rmSync(join(dirname(file.path), own), { force: true });
  });
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
      mustExist(file, name); // nothing is made for a name that was mistyped
      await (action === 'use' ? use : remove)(name, call.io);
    } else
      throw usageError(
        `${action === '' ? 'context needs another word' : `unknown command context ${action}`}: stewardctl context list, use NAME or remove NAME`,
      );
    return EXIT.done;
  },
};
