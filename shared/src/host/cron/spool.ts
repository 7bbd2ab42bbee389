/** Which accounts have a crontab, by the names in cron's directory. Nothing in it is opened. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/** Debian and its relatives, Red Hat and its relatives, BusyBox; the first that exists counts. */
const DIRECTORIES = ['var/spool/cron/crontabs', 'var/spool/cron', 'etc/crontabs'];

export interface FoundCrontab {
  readonly account: string;
  /** RFC 3339 in UTC. */
  readonly modified: string;
}

/** Those of `accounts` that have a crontab, in their order. `root` is `/` but in tests. */
export function findCrontabs(root: string, accounts: readonly string[]): FoundCrontab[] {
  const directory = DIRECTORIES.map((path) => join(root, path)).find(isDirectory);
  if (directory === undefined) return [];
  return accounts.flatMap((account) => {
    const stat = lstatSync(join(directory, account), { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return [];
    return [{ account, modified: stat.mtime.toISOString().replace(/\.\d+Z$/, 'Z') }];
  });
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
