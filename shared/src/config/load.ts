/**
 * Loads the three configuration files as one snapshot: either all of them are good, or there is none. Used by the broker at start
 * and at every reload, and by stewardctl before it replaces a file.
 */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { reasonOf } from '../errors.ts';
import { parsePasswd } from '../host/accounts.ts';
import { ROOT_ONLY, type AccountUids } from './accounts.ts';
import { parseDaemon } from './daemon.ts';
import { ConfigDirectory } from './files.ts';
import { parseGrants } from './grants.ts';
import { deepFreeze } from './reader.ts';
import { ConfigError, type ConfigSnapshot } from './types.ts';
import { parseUsers } from './users.ts';

/** The files in the order in which they are read and reported. */
export const CONFIG_FILES = ['daemon.yaml', 'users.yaml', 'grants.yaml'] as const;

/** Accounts of this host; without a readable passwd file only root is known. */
export function hostAccounts(): AccountUids {
  try {
    const entries = parsePasswd(readFileSync('/etc/passwd', 'utf8')).map(({ name, uid }): [string, number] => [name, uid]);
    return new Map([...ROOT_ONLY, ...entries.reverse()]); // reversed: the first line of a name counts, as in getpwnam(3)
  } catch {
    return ROOT_ONLY;
  }
}

/** What the three files say. */
export interface ConfigTexts {
  readonly daemon: string;
  readonly users: string;
  readonly grants: string;
}

/** Checks texts that are about to become the files of `directory`. Throws ConfigError with the path that the file would have. */
export function parseSnapshot(texts: ConfigTexts, directory: string, accounts: AccountUids = hostAccounts()): ConfigSnapshot {
  const files = CONFIG_FILES.map((name) => join(directory, name)) as [string, string, string];
  const daemon = parseDaemon(texts.daemon, files[0], accounts);
  const users = parseUsers(texts.users, files[1], accounts);
  const { grants, warnings } = parseGrants(texts.grants, files[2], users, accounts);
  const grantsDigest = createHash('sha256').update(texts.grants).digest('hex');
  return deepFreeze({ daemon, users, grants, daemonText: texts.daemon, grantsDigest, files, directory, warnings });
}

/** Reads the three texts under the ownership rules. The directory may be reached through a link; what counts is where it leads. */
export function readTexts(directory: string): { readonly texts: ConfigTexts; readonly directory: string } {
  const asked = resolve(directory);
  let real: string;
  try {
    real = realpathSync(asked);
  } catch (error) {
    throw new ConfigError(asked, 1, `the directory cannot be read: ${reasonOf(error)}`);
  }
  const held = new ConfigDirectory(real);
  try {
    const [daemon, users, grants] = CONFIG_FILES.map((name) => held.readText(name)) as [string, string, string];
    return { texts: { daemon, users, grants }, directory: real };
  } finally {
    held.close();
  }
}

/**
 * Loads the configuration in `directory`. Frozen. Throws ConfigError: `<file>:<line>: <reason>` of the first thing wrong, line 1
 * where the file itself is (missing, a link, foreign owner, writable by others, too large).
 */
export function loadSnapshot(directory: string): ConfigSnapshot {
  const read = readTexts(directory);
  return parseSnapshot(read.texts, read.directory);
}
