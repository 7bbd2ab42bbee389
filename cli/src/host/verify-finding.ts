/**
 * What the checks of `stewardctl verify` share: the installation that they look at, what they find, and the judgement of one entry of
 * the file system. Reads, as root; changes nothing.
 */
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, reasonOf } from '@steward/shared/errors.ts';

/** Where the package puts its programs. */
export const PROGRAMS = '/usr/lib/steward';

/** The installation that is looked at. Other values than those of a real host are for tests on fixture trees. */
export interface Installation {
  /** Stands before every path; `/`. */
  readonly root: string;
  /** The uid that must own everything; 0. */
  readonly owner: number;
  /** Groups that mode bits may speak of; root's and the frontend's. */
  readonly groups: readonly number[];
}

/** One check: what holds, in a few words, or one line for each thing that does not. */
export interface Finding {
  readonly holds: string;
  readonly wrong: readonly string[];
}

/** What an entry may be at most. */
export interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'socket';
  /** Mode bits that it may have, for instance 0o750; fewer are good too. */
  readonly most: number;
}

const octal = (mode: number): string => mode.toString(8).padStart(4, '0');

function isKind(stat: Stats, kind: Entry['kind']): boolean {
  if (kind === 'file') return stat.isFile();
  return kind === 'directory' ? stat.isDirectory() : stat.isSocket();
}

/** What is wrong with kind, owner, group and mode of one entry; a link is wrong by its kind. */
export function judgeEntry({ root, owner, groups }: Installation, { path, kind, most }: Entry): string[] {
  let stat: Stats;
  try {
    stat = lstatSync(join(root, path));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [`${path}: ${reasonOf(error)}`];
  }
  if (!isKind(stat, kind)) return [`${path}: is no ${kind === 'file' ? 'regular file' : kind}`];
  const mode = stat.mode & 0o7777;
  const wrong: string[] = [];
  if (stat.uid !== owner) wrong.push(`${path}: belongs to uid ${stat.uid}, not ${owner}`);
  if ((mode & 0o070) !== 0 && !groups.includes(stat.gid)) wrong.push(`${path}: is open to gid ${stat.gid}`);
  if ((mode & ~most) !== 0) wrong.push(`${path}: has mode ${octal(mode)}, at most ${octal(most)} is right`);
  return wrong;
}
