/** Reads certificate and key for the frontend, which has no access to their files. The key must be out of everybody's reach. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, type ConfigSnapshot } from './types.ts';
import { errnoOf, reasonOf } from '../errors.ts';

/** PEM texts. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

const MAX_BYTES = 256 * 1024;

export function keyFileOf({ directory, daemon }: ConfigSnapshot): string {
  return resolve(directory, daemon.server.tls.key_file);
}

/** The pair, or null when TLS is off. Throws ConfigError naming the file. */
export function readTlsPair(config: ConfigSnapshot): TlsPair | null {
  const { enabled, cert_file } = config.daemon.server.tls;
  if (!enabled) return null;
  return { cert: readOwn(resolve(config.directory, cert_file), 0o022), key: readOwn(keyFileOf(config), 0o077) };
}

/** A regular file of root's, or of this process's user, that has none of the mode bits in `forbidden`. */
function readOwn(file: string, forbidden: number): string {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    throw new ConfigError(file, 1, `cannot be read: ${reasonOf(error)}`);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new ConfigError(file, 1, 'must be a regular file');
    if (stat.uid !== 0 && stat.uid !== process.getuid?.()) throw new ConfigError(file, 1, `must not belong to uid ${stat.uid}`);
    if ((stat.mode & forbidden) !== 0) throw new ConfigError(file, 1, `has mode 0${(stat.mode & 0o7777).toString(8)}, too open`);
    if (stat.size > MAX_BYTES) throw new ConfigError(file, 1, 'is too large');
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}
