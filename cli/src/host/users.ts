/** stewardctl users: makes, lists and removes users of the daemon. A token is printed once, here, and stored nowhere. */
import { isMap, type Document, type YAMLMap } from 'yaml';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { makeToken } from '@steward/shared/config/token.ts';
import { noUser, optionOf, printTable, takeWords } from './answer.ts';
import { editConfig, userList } from './edit.ts';
import { addGrant } from './grant-edit.ts';
import { readGrantOption } from './grant-words.ts';
import type { HostCall, HostCommand, HostOption } from './command.ts';
import { CliError, EXIT, usageError } from '../exit.ts';

/** Limits that a user and a token can have alike. */
export const LIMITS: readonly HostOption[] = [
  { name: 'not-after', value: 'TIME', summary: 'Valid until this time, for instance 2027-06-30T00:00:00Z' },
  { name: 'cidr', value: 'NETWORK', repeat: true, summary: 'Only from this network' },
];

export function limitsOf(call: HostCall): Record<string, unknown> {
  const notAfter = optionOf(call, 'not-after');
  const cidrs = call.options.get('cidr');
  return { ...(notAfter !== undefined && { not_after: notAfter }), ...(cidrs !== undefined && { cidrs }) };
}

/** The entry of a user in the document. */
export function userEntry(users: Document, name: string): YAMLMap {
  const entries = userList(users).items.filter((item) => isMap(item));
  const entry = entries.find((item) => item.get('name') === name);
  if (entry === undefined)
    throw noUser(
      name,
      entries.map((item) => String(item.get('name'))),
    );
  return entry;
}

async function addUser(call: HostCall): Promise<number> {
  const [name = ''] = takeWords(call, 'users add', 'NAME');
  const account = optionOf(call, 'account');
  const granted = (call.options.get('grant') ?? []).map(readGrantOption);
  const resource = granted.find(({ target }) => target.kind === 'resources');
  if (resource !== undefined)
    throw usageError(`--grant takes tools; for ${resource.target.name} use: grants add ${name} ${resource.target.name}`);
  const { token, entry } = makeToken(optionOf(call, 'token-id') ?? 'default');
  const inherits = await editConfig(call.configDir, ({ users, grants, snapshot }) => {
    if (snapshot.users.some((user) => user.name === name)) throw new CliError(EXIT.failed, `user ${name} exists already`);
    const user = { name, ...(account !== undefined && { account }), ...limitsOf(call), tokens: [entry] };
    userList(users).add(users.createNode(user));
    for (const { target, part } of granted) addGrant(grants, name, target.name, part);
    return Object.hasOwn(snapshot.grants, name);
  });
  if (inherits) call.err.write(`warning: grants.yaml already had grants of ${name}: they are in force now\n`);
  call.err.write(`User ${name} added. The token is shown only now:\n`);
  call.out.write(`${token}\n`);
  return EXIT.done;
}

function listUsers(call: HostCall): Promise<number> {
  takeWords(call, 'users list');
  const rows = loadSnapshot(call.configDir).users.map((user) => [
    user.name,
    user.account,
    user.tokens.map((token) => token.id + (token.not_after === undefined ? '' : ` (until ${token.not_after})`)).join(', '),
    user.not_after ?? '',
    user.cidrs?.join(', ') ?? '',
  ]);
  printTable(call, ['user', 'account', 'tokens', 'valid until', 'from'], rows);
  return Promise.resolve(EXIT.done);
}

async function removeUser(call: HostCall): Promise<number> {
  const [name = ''] = takeWords(call, 'users remove', 'NAME');
  await editConfig(call.configDir, ({ users, grants }) => {
    const list = userList(users);
    list.delete(list.items.indexOf(userEntry(users, name)));
    if (list.items.length === 0) list.flow = true;
    grants.deleteIn(['users', name]);
  });
  call.out.write(`User ${name} removed, with all tokens and grants.\n`);
  return EXIT.done;
}

export const usersCommands: readonly HostCommand[] = [
  {
    path: ['users', 'add'],
    usage: 'NAME',
    summary: 'Make a user and print the token once',
    options: [
      { name: 'account', value: 'ACCOUNT', summary: 'OS account of the user (default NAME; "" for none)' },
      { name: 'grant', value: 'TOOL[:key=value,..]', repeat: true, summary: 'Let the user run a tool as root' },
      { name: 'token-id', value: 'ID', summary: 'Name of the token in logs (default "default")' },
      ...LIMITS,
    ],
    changes: true,
    run: addUser,
  },
  { path: ['users', 'list'], usage: '', summary: 'List users and their tokens', options: [], run: listUsers },
  {
    path: ['users', 'remove'],
    usage: 'NAME',
    summary: 'Remove a user with all tokens and grants',
    options: [],
    changes: true,
    run: removeUser,
  },
];
