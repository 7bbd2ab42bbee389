/** Which time zone this host keeps, and its local time at a moment. Reads public files only. */
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readAttribute } from '../procfs.ts';
import { localTypeAt, parseTzif, type LocalType, type Zone } from './tzif.ts';

const DIRECTORY = '/usr/share/zoneinfo';
const LOCALTIME = '/etc/localtime';
/** The name becomes a path below the directory: no `..`, no empty component. */
const NAME = /^[A-Za-z0-9_+-][A-Za-z0-9_+.-]*(?:\/[A-Za-z0-9_+-][A-Za-z0-9_+.-]*)*$/;
const UTC: LocalType = { offset: 0, isDst: false, abbreviation: 'UTC' };

export interface HostTimezone {
  /** For instance `Europe/Berlin`. */
  readonly name: string;
  readonly abbreviation: string;
  /** Seconds east of UTC. */
  readonly offset: number;
}

/** The zone as /etc/timezone or the target of /etc/localtime names it, at a moment in seconds since 1970. */
export async function readTimezone(root: string, seconds: number): Promise<HostTimezone> {
  const name = (await configuredName(root)) ?? (await linkedName(root)) ?? 'UTC';
  const zone = (await readZone(root, `${DIRECTORY}/${name}`)) ?? (await readZone(root, LOCALTIME));
  const { abbreviation, offset } = zone === undefined ? UTC : localTypeAt(zone, seconds);
  return { name, abbreviation, offset };
}

async function configuredName(root: string): Promise<string | undefined> {
  const text = (await readAttribute(root, '/etc/timezone')) ?? '';
  return text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => NAME.test(line));
}

async function linkedName(root: string): Promise<string | undefined> {
  try {
    const name = /zoneinfo\/(.+)$/.exec(await readlink(join(root, LOCALTIME)))?.[1];
    return name !== undefined && NAME.test(name) ? name : undefined;
  } catch {
    return undefined; // no such file, or a copy of a zone instead of a link
  }
}

/** Undefined when there is no such zone file: hosts without the zone database may still have a copy of their own zone. */
async function readZone(root: string, path: string): Promise<Zone | undefined> {
  try {
    return parseTzif(await readFile(join(root, path)));
  } catch {
    return undefined;
  }
}
