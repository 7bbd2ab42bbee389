/**
 * Changes configuration files: comments and order stay, the result must pass the daemon's own strict loader before anything is
 * replaced, and a file is replaced as a whole or not at all.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, isSeq, parseDocument, type Document, type YAMLMap, type YAMLSeq } from 'yaml';
import { errnoOf, reasonOf } from '@steward/shared/errors.ts';
import { parseSnapshot, readTexts, type ConfigTexts } from '@steward/shared/config/load.ts';
import type { ConfigSnapshot } from '@steward/shared/config/types.ts';
import { withLock } from '../lock.ts';
import { CliError, EXIT } from '../exit.ts';

/** What an edit works on: the two files as documents, and what they say now. */
export interface Editing {
  readonly users: Document;
  readonly grants: Document;
  readonly snapshot: ConfigSnapshot;
}

function text(document: Document): string {
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** Replaces a file by way of a durable temporary one with the same owner and mode. */
async function replace(directory: string, name: string, content: string): Promise<void> {
  const path = join(directory, name);
  const { mode, uid, gid } = await stat(path);
  const temporary = join(directory, `.${name}.${randomBytes(6).toString('hex')}`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await file.writeFile(content);
    await file.chown(uid, gid);
    await file.chmod(mode & 0o7777);
    await file.sync();
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const held = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  await held.sync().finally(() => held.close());
}

/** `users.yaml` goes first: a removed user is out at once, and a new user without grants can do nothing as root yet. */
export async function save(directory: string, before: ConfigTexts, after: ConfigTexts): Promise<void> {
  try {
    if (after.daemon !== before.daemon) await replace(directory, 'daemon.yaml', after.daemon);
    if (after.users !== before.users) await replace(directory, 'users.yaml', after.users);
    if (after.grants !== before.grants) await replace(directory, 'grants.yaml', after.grants);
    await syncDirectory(directory);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    throw new CliError(EXIT.failed, `cannot write to ${directory}: ${reasonOf(error)}`);
  }
}

/**
 * Edits users.yaml and grants.yaml under the lock. `change` alters the documents; what it returns is returned when the result is
 * valid and in place. Throws ConfigError when the files, before or after, are not valid: then nothing is written.
 */
export async function editConfig<T>(configDir: string, change: (editing: Editing) => T): Promise<T> {
  const { directory } = readTexts(configDir);
  return withLock(directory, async () => {
    const { texts } = readTexts(directory);
    const editing = {
      users: parseDocument(texts.users),
      grants: parseDocument(texts.grants),
      snapshot: parseSnapshot(texts, directory),
    };
    const unchanged = { users: text(editing.users), grants: text(editing.grants) };
    const result = change(editing);
    // A file that the change left alone keeps its very bytes; writing a document anew would at least move blanks.
    const written = (name: 'users' | 'grants'): string => {
      const now = text(editing[name]);
      return now === unchanged[name] ? texts[name] : now;
    };
    const after = { ...texts, users: written('users'), grants: written('grants') };
    parseSnapshot(after, directory);
    await save(directory, texts, after);
    return result;
  });
}

/** The list of users, ready to be added to. */
export function userList(users: Document): YAMLSeq {
  const list = users.get('users');
  if (!isSeq(list)) throw new CliError(EXIT.failed, 'users.yaml holds no list of users');
  if (list.items.length === 0) list.flow = false;
  return list;
}

/** The map at a path of keys, made where it is missing; an empty `{}` becomes a block when something is put into it. */
export function mapAt(document: Document, keys: readonly string[]): YAMLMap {
  let map = document.contents as unknown as YAMLMap;
  for (const key of keys) {
    let next: unknown = map.get(key, true);
    if (!isMap(next)) {
      next = document.createNode({});
      map.set(key, next);
    }
    map = next as YAMLMap;
    if (map.items.length === 0) map.flow = false;
  }
  return map;
}
