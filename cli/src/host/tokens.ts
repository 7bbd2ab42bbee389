/** stewardctl users token: adds, removes and rotates tokens of a user. */
import { isMap, isSeq, type Document, type YAMLSeq } from 'yaml';
import { makeToken } from '@steward/shared/config/token.ts';
import { takeWords } from './answer.ts';
import { editConfig } from './edit.ts';
import type { HostCall, HostCommand } from './command.ts';
import { LIMITS, limitsOf, userEntry } from './users.ts';
import { CliError, EXIT, usageError } from '../exit.ts';

function tokenList(users: Document, name: string): YAMLSeq {
  const list = userEntry(users, name).get('tokens');
  if (!isSeq(list)) throw new CliError(EXIT.failed, `user ${name} has no list of tokens`);
  return list;
}

function tokenIndex(list: YAMLSeq, id: string): number {
  return list.items.findIndex((item) => isMap(item) && item.get('id') === id);
}

function existing(list: YAMLSeq, name: string, id: string): number {
  const at = tokenIndex(list, id);
  if (at < 0) throw new CliError(EXIT.failed, `user ${name} has no token "${id}": stewardctl users list shows them`);
  return at;
}

async function addToken(call: HostCall, name: string, id: string): Promise<string> {
  const { token, entry } = makeToken(id);
  await editConfig(call.configDir, ({ users }) => {
    tokenList(users, name).add(users.createNode({ ...entry, ...limitsOf(call) }));
  });
  return token;
}

/** A new secret under the same name; whatever else the entry says stays. */
async function rotateToken(call: HostCall, name: string, id: string): Promise<string> {
  const { token, entry } = makeToken(id);
  await editConfig(call.configDir, ({ users }) => {
    const list = tokenList(users, name);
    const item = list.items[existing(list, name, id)];
    if (isMap(item))
      for (const [key, value] of Object.entries({ ...entry, ...limitsOf(call) })) item.set(key, users.createNode(value));
  });
  return token;
}

async function removeToken(call: HostCall, name: string, id: string): Promise<void> {
  await editConfig(call.configDir, ({ users }) => {
    const list = tokenList(users, name);
    const at = existing(list, name, id);
    if (list.items.length === 1)
      throw new CliError(EXIT.failed, `"${id}" is the only token of ${name}: add another first, or remove the user`);
    list.delete(at);
  });
}

async function run(call: HostCall): Promise<number> {
  const [action = '', name = '', id = ''] = takeWords(call, 'users token', 'add, remove or rotate', 'NAME', 'ID');
  if (action === 'remove') {
    await removeToken(call, name, id);
    call.out.write(`Token ${id} of ${name} removed.\n`);
    return EXIT.done;
  }
  if (action !== 'add' && action !== 'rotate') throw usageError(`users token: write add, remove or rotate, not "${action}"`);
  const token = await (action === 'add' ? addToken : rotateToken)(call, name, id);
  call.err.write(`Token ${id} of ${name}, shown only now:\n`);
  call.out.write(`${token}\n`);
  return EXIT.done;
}

export const tokenCommands: readonly HostCommand[] = [
  {
    path: ['users', 'token'],
    usage: 'add|remove|rotate NAME ID',
    summary: 'Add, remove or replace a token of a user',
    options: LIMITS,
    changes: true,
    run,
  },
];
