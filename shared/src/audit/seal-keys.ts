/**
 * The secret key of the current epoch, and the seals it signs. Trusted with the one secret of the audit log: it is in one file of
 * the state directory and, while a seal is being made, in this thread's memory; both are overwritten when it has signed.
 *
 * Order of events: the next epoch's file is durable, then the old one is overwritten and removed, then the seal goes to the log.
 * The file carries the seal that introduced its key, so that a crash in between loses no link of the chain of keys.
 */
import { randomBytes, randomFillSync } from 'node:crypto';
import { closeSync, constants, fdatasyncSync, fstatSync, fsyncSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { readdirSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import nacl from 'tweetnacl';
import { ANCHOR_FILE, anchorLine, firstAnchor } from './anchor.ts';
import { isSeal, orderedSeal, sealedBytes, type SealBody, type SealRequest } from './seal.ts';
import { errnoOf } from '../errors.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_DIRECTORY } = constants;
/** Seed and public key (RFC 8032 section 5.1.5), as tweetnacl keeps them. */
const SECRET_BYTES = 64;
const SEED_BYTES = 32;
const NAME = /^(\d{1,15})\.key$/;

/** What is known of the current key without its secret. */
export interface SealState {
  readonly epoch: number;
  /** Public key of this epoch, hex. */
  readonly key: string;
  /** The seal that named this key; absent in the first epoch. */
  readonly last?: SealBody;
  /** True when the key was made just now. */
  readonly fresh: boolean;
}

/** One key file: the secret as bytes, then one line of JSON. */
interface KeyFile {
  readonly epoch: number;
  /** Overwrite it when it is no longer needed. */
  readonly secret: Uint8Array;
  readonly last: SealBody | undefined;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Epochs of the key files that are there, newest first. */
function epochsIn(directory: string): number[] {
  const found = readdirSync(directory).map((name) => Number(NAME.exec(name)?.[1] ?? Number.NaN));
  return found.filter((epoch) => Number.isSafeInteger(epoch)).sort((a, b) => b - a);
}

function fileOf(directory: string, epoch: number): string {
  return join(directory, `${epoch}.key`);
}

function syncDirectory(directory: string): void {
  const fd = openSync(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  fsyncSync(fd);
  closeSync(fd);
}

/** Undefined for a file that a crash left unfinished. */
function readKeyFile(directory: string, epoch: number): KeyFile | undefined {
  const bytes = readFileSync(fileOf(directory, epoch));
  try {
    if (bytes.length <= SECRET_BYTES || bytes.at(-1) !== 10) return undefined;
    const { last } = JSON.parse(bytes.toString('utf8', SECRET_BYTES)) as { last?: unknown };
    return { epoch, secret: new Uint8Array(bytes.subarray(0, SECRET_BYTES)), last: isSeal(last) ? last : undefined };
  } catch {
    return undefined;
  } finally {
    bytes.fill(0, 0, SECRET_BYTES);
  }
}

/** Makes a key file durable. Throws the system error with nothing of it left. */
function writeKeyFile(directory: string, { epoch, secret, last }: KeyFile): void {
  const path = fileOf(directory, epoch);
  const bytes = Buffer.concat([secret, Buffer.from(`${JSON.stringify({ last: last ?? null })}\n`)]);
  const fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
    syncDirectory(directory);
  } catch (error) {
    unlinkSync(path);
    throw error;
  } finally {
    closeSync(fd);
    bytes.fill(0);
  }
}

/** Overwrites and removes a key file. A file system that writes elsewhere than in place keeps the old blocks until it reuses them. */
function destroyKeyFile(directory: string, epoch: number): void {
  const path = fileOf(directory, epoch);
  const fd = openSync(path, O_WRONLY | O_NOFOLLOW);
  try {
    const noise = randomFillSync(Buffer.alloc(Math.max(SECRET_BYTES, fstatSync(fd).size)));
    for (let at = 0; at < noise.length;) at += writeSync(fd, noise, at, noise.length - at, at);
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
  unlinkSync(path);
  syncDirectory(directory);
}

function newSecret(): Uint8Array {
  const seed = randomBytes(SEED_BYTES);
  const { secretKey } = nacl.sign.keyPair.fromSeed(seed);
  seed.fill(0);
  return secretKey;
}

/** The newest whole key file; older and unfinished ones are destroyed. Undefined when there is none. */
function currentKey(directory: string): KeyFile | undefined {
  let current: KeyFile | undefined;
  for (const epoch of epochsIn(directory)) {
    current ??= readKeyFile(directory, epoch);
    if (current?.epoch !== epoch) destroyKeyFile(directory, epoch);
  }
  return current;
}

/** Puts the log's first anchor beside it, once. */
function publish(logDirectory: string, epoch: number, key: string): void {
  try {
    const fd = openSync(join(logDirectory, ANCHOR_FILE), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    writeSync(fd, `${anchorLine(firstAnchor(epoch, key))}\n`);
    fsyncSync(fd);
    closeSync(fd);
    syncDirectory(logDirectory);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Finds the key of the current epoch, or makes the first one, and puts its anchor beside a new log. Throws system errors. */
export function openSealKeys(directory: string, logDirectory: string): SealState {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = currentKey(directory);
  const current: KeyFile = found ?? { epoch: 1, secret: newSecret(), last: undefined };
  try {
    if (found === undefined) writeKeyFile(directory, current);
    const { epoch, last } = current;
    const key = hex(current.secret.subarray(SEED_BYTES));
    publish(logDirectory, epoch, key);
    return { epoch, key, ...(last === undefined ? {} : { last }), fresh: found === undefined };
  } finally {
    current.secret.fill(0);
  }
}

/** Signs with the key of this epoch, destroys it, and leaves the key of the next. Throws system errors; then nothing has changed. */
export function makeSeal(directory: string, request: SealRequest): SealBody {
  const current = currentKey(directory);
  if (current === undefined) throw new Error('there is no key to seal with');
  const secret = newSecret();
  try {
    const named = { ...request, epoch: current.epoch, key: hex(secret.subarray(SEED_BYTES)) };
    const sig = hex(nacl.sign.detached(sealedBytes(named), current.secret));
    const seal = orderedSeal({ ...named, sig });
    writeKeyFile(directory, { epoch: current.epoch + 1, secret, last: seal });
    destroyKeyFile(directory, current.epoch);
    return seal;
  } finally {
    current.secret.fill(0);
    secret.fill(0);
  }
}
