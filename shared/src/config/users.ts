/**
 * users.yaml: who may connect, with which tokens, from where and until when. Read by the broker (and stewardctl) alone. Salts
 * and hashes never appear in a message.
 */
import { ROOT_ONLY, type AccountUids } from './accounts.ts';
import { fileVersion } from './daemon.ts';
import { deepFreeze, fields, integer, Item, list, map, string, type Reader } from './reader.ts';
import { ACCOUNT, cidr, time } from './scalars.ts';
import type { TokenEntry, UserEntry } from './types.ts';
import { parseYaml } from './yaml.ts';

export const USER_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
export const TOKEN_ID = /^[a-z0-9][a-z0-9_-]{0,31}$/;

function hex(digits: number): Reader<string> {
  const right = new RegExp(`^[0-9A-Fa-f]{${digits}}$`);
  return map(string(right, `${digits} hexadecimal digits`, true), (value) => value.toLowerCase());
}

const token: Reader<TokenEntry> = (item) => {
  const read = fields(
    item,
    {
      id: string(TOKEN_ID, 'a token id (a-z, 0-9, _ and -, at most 32)'),
      salt: hex(32),
      hash: hex(64),
      created_at: time,
      not_after: time,
      cidrs: list(cidr),
    },
    ['id', 'salt', 'hash'],
  );
  return read as TokenEntry;
};

const tokens: Reader<readonly TokenEntry[]> = (item) => {
  const read = list(token, 1, 16)(item);
  refuseDuplicates(
    item,
    read.map((one) => one.id),
    'token id',
  );
  return read;
};

/** Fails at the line of the first entry of a list whose name was there before. */
function refuseDuplicates(item: Item, names: readonly string[], what: string): void {
  const index = names.findIndex((name, at) => names.indexOf(name) < at);
  if (index < 0 || item.node.kind !== 'list') return;
  new Item(item.node.items[index] ?? item.node, item.name, item.file).fail(`duplicate ${what} "${names[index] ?? ''}"`);
}

function user(accounts: AccountUids): Reader<UserEntry> {
  const account = string((value) => value === '' || ACCOUNT.test(value), 'an account name or empty');
  return (item) => {
    const read = fields(
      item,
      {
        name: string(USER_NAME, 'a user name (letters, digits, _ . -, at most 64)'),
        account,
        account_uid: integer(0, 4_294_967_294),
        not_after: time,
        cidrs: list(cidr),
        tokens,
      },
      ['name', 'tokens'],
    );
    const name = read.name ?? '';
    const whole = { ...read, name, account: read.account ?? name, tokens: read.tokens ?? [] };
    if (accounts.get(whole.account) === 0 || whole.account_uid === 0) {
      item.fail(`user ${name}: account must not have uid 0 (account: "" for none)`);
    }
    return whole;
  };
}

/** Two entries with one secret would make it undecided who calls. */
function refuseSharedSecrets(users: readonly UserEntry[], item: Item): void {
  const seen = new Set<string>();
  for (const one of users) {
    for (const { id, salt, hash } of one.tokens) {
      if (seen.has(salt + hash)) item.fail(`token ${id} of user ${one.name} has the secret of another token`);
      seen.add(salt + hash);
    }
  }
}

/**
 * Reads users.yaml. `accounts` lets it refuse accounts with uid 0 under any name; without it only `root` is refused. Throws
 * ConfigError.
 */
export function parseUsers(source: string, file: string, accounts: AccountUids = ROOT_ONLY): readonly UserEntry[] {
  const root = new Item(parseYaml(source, file), 'the file', file);
  const users: Reader<readonly UserEntry[]> = (item) => {
    const read = list(user(accounts))(item);
    refuseDuplicates(
      item,
      read.map((one) => one.name),
      'user',
    );
    refuseSharedSecrets(read, item);
    return read;
  };
  const read = fields(root, { version: fileVersion, users }, ['version', 'users']);
  return deepFreeze(read.users ?? []);
}
