/** stewardctl grants list, add and remove: edits what users may do as root. */
import { grantDetails } from '@steward/shared/config/diff.ts';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { noUser, printTable, takeWords } from './answer.ts';
import { editConfig, type Editing } from './edit.ts';
import { addGrant, addResources, removeGrant } from './grant-edit.ts';
import { readGrantWords, readTarget } from './grant-words.ts';
import type { HostCall, HostCommand } from './command.ts';
import { EXIT, usageError } from '../exit.ts';

function listGrants(call: HostCall): Promise<number> {
  const [asked] = takeWords(call, 'grants list', 'USER?');
  const { grants, users } = loadSnapshot(call.configDir);
  const known = users.map(({ name }) => name);
  if (asked !== undefined && !known.includes(asked)) throw noUser(asked, known);
  const chosen = Object.entries(grants).filter(([user]) => asked === undefined || user === asked);
  const rows = chosen.flatMap(([user, { tools, resources }]) => [
    ...Object.entries(tools).map(([tool, grant]) => [user, tool, grantDetails(grant), `grants.yaml:${grant.line}`]),
    ...Object.entries(resources).map(([scheme, entries]) => [user, scheme, entries.join(', '), '']),
  ]);
  printTable(call, ['user', 'grant', 'limited to', 'line'], rows);
  return Promise.resolve(EXIT.done);
}

/** USER, TOOL and the words behind them. */
function readLine(call: HostCall, command: string): { user: string; name: string; words: readonly string[] } {
  const [user, name, ...words] = call.positional;
  if (user === undefined || name === undefined)
    throw usageError(`${command}: ${user === undefined ? 'USER' : 'TOOL'} is missing`);
  return { user, name, words };
}

function mustExist({ snapshot }: Editing, name: string): void {
  const names = snapshot.users.map((user) => user.name);
  if (!names.includes(name)) throw noUser(name, names);
}

async function add(call: HostCall): Promise<number> {
  const { user, name, words } = readLine(call, 'grants add');
  const target = readTarget(name);
  const part = target.kind === 'tools' ? readGrantWords(name, words) : undefined;
  if (part === undefined && words.length === 0)
    throw usageError(`grants add: what of ${name}? Write entries, or "*" for every object`);
  await editConfig(call.configDir, (editing) => {
    mustExist(editing, user);
    if (part === undefined) addResources(editing.grants, user, name, words);
    else addGrant(editing.grants, user, name, part);
  });
  return report(call, user, name);
}

async function remove(call: HostCall): Promise<number> {
  const { user, name, words } = readLine(call, 'grants remove');
  const target = readTarget(name);
  const part = target.kind === 'tools' ? readGrantWords(name, words) : words;
  await editConfig(call.configDir, ({ grants }) => removeGrant(grants, user, target, part));
  return report(call, user, name);
}

/** Says what the user holds now, and what the loader finds odd about it. */
function report(call: HostCall, user: string, name: string): number {
  const { grants, warnings } = loadSnapshot(call.configDir);
  const grant = grants[user]?.tools[name];
  const entries = Object.entries(grants[user]?.resources ?? {}).find(([scheme]) => scheme === name)?.[1];
  const held = grant === undefined ? entries?.join(', ') : grantDetails(grant) || 'without limits';
  call.out.write(held === undefined ? `${user}: ${name} no longer granted\n` : `${user}: ${name} ${held}\n`);
  const own = grant === undefined ? [] : warnings.filter((warning) => warning.includes(`grants.yaml:${grant.line}: `));
  for (const warning of own) call.err.write(`warning: ${warning}\n`);
  return EXIT.done;
}

export const grantsCommands: readonly HostCommand[] = [
  { path: ['grants', 'list'], usage: '[USER]', summary: 'List what users may do as root', options: [], run: listGrants },
  {
    path: ['grants', 'add'],
    usage: 'USER TOOL [key=value ...]',
    summary: 'Let a user run a tool as root, for instance: grants add alice files/read paths=/var/log',
    options: [],
    changes: true,
    run: add,
  },
  {
    path: ['grants', 'remove'],
    usage: 'USER TOOL [key=value ...]',
    summary: 'Take a grant away, or parts of it',
    options: [],
    changes: true,
    run: remove,
  },
];
