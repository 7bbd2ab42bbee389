/**
 * Tokens: how they are made and how they are kept. The token itself is shown once and stored nowhere; the file holds a salted
 * SHA-256, which suffices for 32 random bytes.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { TokenEntry } from './types.ts';

/** SHA-256 of the salt's bytes followed by the token text. `salt` is hex. */
export function hashToken(salt: string, token: string): Buffer {
  return createHash('sha256').update(Buffer.from(salt, 'hex')).update(token, 'utf8').digest();
}

/** A new token (64 hexadecimal digits) and the entry that stands for it in users.yaml. */
export function makeToken(id: string, now = new Date()): { readonly token: string; readonly entry: TokenEntry } {
  const token = randomBytes(32).toString('hex');
  const salt = randomBytes(16).toString('hex');
  const created_at = now.toISOString().replace(/\.\d+Z$/, 'Z');
  return { token, entry: { id, salt, hash: hashToken(salt, token).toString('hex'), created_at } };
}
