/**
 * Makes a self-signed certificate. It is trusted with the private key from its making until it is written, and keeps nothing.
 */
import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** The longest validity that all common TLS clients accept of a certificate which a person chose to trust. */
export const VALID_DAYS = 825;
/** Clients whose clock is a little behind must not find it "not yet valid". */
const CLOCK_SKEW_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Certificate and key, both PEM; the key as PKCS #8. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** The names of a certificate: the host's, loopback's, then the configured ones, each once. */
export function certificateNames(hostname: string, hosts: readonly string[]): string[] {
  return [...new Set([hostname, 'localhost', '127.0.0.1', '::1', ...hosts].filter((name) => name !== ''))];
}

/**
 * A P-256 pair for these names (DNS names or IP addresses), for a TLS server and nothing else: not a certificate authority
 * (RFC 5280, section 4.2.1.9), so that a client that trusts it trusts no other certificate with it. It has no key usage
 * extension: clients with BoringSSL (VS Code and other Electron programs) take a certificate that may not sign certificates for
 * one that did not sign itself, and then do not trust it even where they are told to.
 */
export async function makePair(names: readonly string[], now: Date = new Date()): Promise<Pair> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    // A common name holds at most 64 characters; the names that count are in the extension.
    name: [{ CN: [(names[0] ?? 'steward').slice(0, 64)] }],
    notBefore: new Date(now.getTime() - CLOCK_SKEW_MS),
    notAfter: new Date(now.getTime() + VALID_DAYS * DAY_MS),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }))),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: `${certificate.toString('pem')}\n`, key: `${PemConverter.encode(key, 'PRIVATE KEY')}\n` };
}

/** 16 random bytes, hex; positive and of full length (RFC 5280, section 4.1.2.2). */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}
