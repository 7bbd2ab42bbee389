/**
 * stewardctl verify: are programs and units those of the package, and nothing beside them? Compares with the list that dpkg keeps. It
 * finds accidents and careless changes; who has been root could have changed that list too.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errnoOf, reasonOf } from '@steward/shared/errors.ts';
import { judgeEntry, PROGRAMS, type Finding, type Installation } from './verify-finding.ts';

/** deb-md5sums(5): a digest, two spaces, a path relative to `/`. Configuration files are not in it. */
export const SUMS = '/var/lib/dpkg/info/steward.md5sums';
/** Documents: an administrator may have told dpkg not to unpack them. */
const DOCUMENTS = '/usr/share/';
const UNITS = '/usr/lib/systemd/system/';
/** Where a unit of the same name is preferred to the shipped one (systemd.unit(5)). */
const PREFERRED = ['/etc/systemd/system', '/run/systemd/system'];

interface Shipped {
  readonly path: string;
  readonly sum: string;
}

/** The files that count, as the package shipped them. */
export function shippedFiles(root: string): readonly Shipped[] {
  const lines = readFileSync(join(root, SUMS), 'utf8').split('\n');
  const files = lines.flatMap((line) => {
    const [, sum = '', path = ''] = /^([0-9a-f]{32}) {2}(.+)$/.exec(line) ?? [];
    return path === '' ? [] : [{ path: `/${path}`, sum }];
  });
  return files.filter(({ path }) => !path.startsWith(DOCUMENTS));
}

async function md5(file: string): Promise<string> {
  const hash = createHash('md5');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function judgeShipped(host: Installation, { path, sum }: Shipped): Promise<string[]> {
  const wrong = judgeEntry(host, { path, kind: 'file', most: 0o755 });
  try {
    if (lstatSync(join(host.root, path)).isFile() && (await md5(join(host.root, path))) !== sum) {
      wrong.push(`${path}: is not as it was shipped`);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    if (wrong.length === 0) wrong.push(`${path}: ${reasonOf(error)}`);
  }
  return wrong;
}

/** Content, owner and mode of every file. */
export async function checkShipped(host: Installation): Promise<Finding> {
  const files = shippedFiles(host.root);
  const wrong = judgeEntry(host, { path: PROGRAMS, kind: 'directory', most: 0o755 });
  if (!files.some(({ path }) => path.startsWith(`${PROGRAMS}/`))) wrong.push(`${SUMS}: names no program`);
  for (const file of files) wrong.push(...(await judgeShipped(host, file)));
  return { holds: `${files.length} programs, units and settings are as they were shipped, root's, and closed to others`, wrong };
}

/** Nothing else that could be run or loaded, and no other unit in the place of a shipped one. Drop-ins are the administrator's. */
export function checkNothingElse({ root }: Installation): Finding {
  const shipped = new Set(shippedFiles(root).map(({ path }) => path));
  const present = existsSync(join(root, PROGRAMS)) ? readdirSync(join(root, PROGRAMS)) : [];
  const foreign = present.map((name) => `${PROGRAMS}/${name}`).filter((path) => !shipped.has(path));
  const units = [...shipped].filter((path) => path.startsWith(UNITS)).map((path) => path.slice(UNITS.length));
  const instead = PREFERRED.flatMap((directory) => units.map((unit) => `${directory}/${unit}`)).filter((path) =>
    isThere(join(root, path)),
  );
  return {
    holds: `nothing else is in ${PROGRAMS}, and no unit takes the place of a shipped one`,
    wrong: [
      ...foreign.map((path) => `${path}: is not of the package`),
      ...instead.map((path) => `${path}: is used instead of the shipped unit`),
    ],
  };
}

/** Also a link that leads nowhere. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
