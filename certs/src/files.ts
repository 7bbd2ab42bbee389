/**
 * Decides whether a certificate is to be made and puts the pair in place. It runs as whoever owns the configuration (root in
 * production) and is trusted never to overwrite a key.
 */
import { existsSync, fsyncSync, closeSync, linkSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import { type Pair, certificateNames, makePair } from './certificate.ts';

/** What cannot be mended by this program; the message is one line for people. */
export class CertificateError extends Error {}

export interface PairFiles {
  /** Absolute paths. */
  readonly cert: string;
  readonly key: string;
}

/** Where the configuration has the pair; relative paths are relative to the configuration directory. */
export function pairFiles(tls: DaemonConfig['server']['tls'], configDir: string): PairFiles {
  return { cert: resolve(configDir, tls.cert_file), key: resolve(configDir, tls.key_file) };
}

/**
 * Makes the pair when both files are missing and the configuration allows it; does nothing when both are there or TLS is off.
 * Returns true when it made one. Throws CertificateError when one file alone is there, or none and `generate` is false.
 */
export async function ensurePair(tls: DaemonConfig['server']['tls'], configDir: string): Promise<boolean> {
  if (!tls.enabled) return false;
  const files = pairFiles(tls, configDir);
  const has = { cert: existsSync(files.cert), key: existsSync(files.key) };
  if (has.cert && has.key) return false;
  if (has.cert) throw new CertificateError(`the private key ${files.key} is missing, its certificate ${files.cert} is there`);
  if (has.key) throw new CertificateError(`the certificate ${files.cert} is missing, its private key ${files.key} is there`);
  if (!tls.generate) {
    throw new CertificateError(`${files.cert} and ${files.key} are missing, and server.tls.generate is false`);
  }
  writePair(files, await makePair(certificateNames(hostname(), tls.hosts)));
  return true;
}

/** Both files or neither: each is complete under its final name from the first moment, and none replaces another. */
export function writePair(files: PairFiles, pair: Pair): void {
  for (const file of [files.key, files.cert]) mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  place(files.key, pair.key, 0o600);
  try {
    place(files.cert, pair.cert, 0o644);
  } catch (error) {
    rmSync(files.key);
    throw error;
  }
}

function place(file: string, text: string, mode: number): void {
  const draft = `${file}.${process.pid}.new`;
  rmSync(draft, { force: true });
  const fd = openSync(draft, 'wx', mode);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
    linkSync(draft, file);
  } finally {
    closeSync(fd);
    rmSync(draft, { force: true });
  }
}
