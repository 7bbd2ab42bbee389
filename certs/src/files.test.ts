/** Shows when a certificate is made, what is in it, and that a key is never overwritten. */
import assert from 'node:assert/strict';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { parseDaemon } from '@steward/shared/config/daemon.ts';
import { CertificateError, ensurePair, pairFiles } from './files.ts';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'steward-certs-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const settings = (lines = '') =>
  parseDaemon(`version: 1\nserver:\n  tls:\n    min_version: "1.2"\n${lines}`, 'daemon.yaml').server.tls;
const modeOf = (file: string): number => statSync(file).mode & 0o7777;

test('a pair is made once, the key for its owner alone, and then left alone', async () => {
  const { cert, key } = pairFiles(settings(), directory);
  assert.equal(cert, join(directory, 'tls/steward.crt'));
  assert.equal(await ensurePair(settings(), directory), true);
  assert.equal(modeOf(key), 0o600);
  assert.equal(modeOf(cert), 0o644);
  assert.deepEqual(readdirSync(join(directory, 'tls')).sort(), ['steward.crt', 'steward.key']);
  const before = readFileSync(key);
  assert.equal(await ensurePair(settings(), directory), false);
  assert.deepEqual(readFileSync(key), before);
});

test('certificate and key belong together and bear the names of host, loopback and configuration', async () => {
  const tls = settings('    hosts: [steward.example.org, 192.0.2.7, "2001:db8::7"]\n');
  await ensurePair(tls, directory);
  const { cert, key } = pairFiles(tls, directory);
  const certificate = new X509Certificate(readFileSync(cert));
  assert.equal(certificate.checkPrivateKey(createPrivateKey(readFileSync(key))), true);
  assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
  for (const name of [hostname(), 'localhost', 'steward.example.org']) assert.equal(certificate.checkHost(name), name);
  for (const address of ['127.0.0.1', '::1', '192.0.2.7', '2001:db8::7']) assert.equal(certificate.checkIP(address), address);
  assert.equal(certificate.checkHost('elsewhere.example.org'), undefined);
  assert.equal(certificate.ca, false);
  assert.equal(certificate.checkIssued(certificate), true, 'BoringSSL trusts it by itself');
  assert.equal(certificate.verify(certificate.publicKey), true);
  const days = (new Date(certificate.validTo).getTime() - Date.now()) / 86_400_000;
  assert.ok(days > 824 && days <= 825, `valid for ${days} days`);
  assert.ok(new Date(certificate.validFrom).getTime() < Date.now() - 60_000);
});

test('one file alone is an error that names the missing one, and nothing is made', async () => {
  const { cert, key } = pairFiles(settings(), directory);
  mkdirSync(join(directory, 'tls'));
  for (const [there, missing] of [
    [cert, key],
    [key, cert],
  ] as const) {
    writeFileSync(there, 'x');
    await assert.rejects(ensurePair(settings(), directory), (error) => {
      assert.ok(error instanceof CertificateError);
      assert.ok(error.message.includes(`${missing} is missing`), error.message);
      return true;
    });
    assert.equal(existsSync(missing), false);
    rmSync(there);
  }
});

test('nothing is made when TLS is off, or when the configuration forbids it', async () => {
  const off = parseDaemon('version: 1\nserver:\n  listen: ["127.0.0.1:1"]\n  tls: {enabled: false}\n', 'daemon.yaml').server.tls;
  assert.equal(await ensurePair(off, directory), false);
  await assert.rejects(ensurePair(settings('    generate: false\n'), directory), /generate is false/);
  assert.deepEqual(readdirSync(directory), []);
});

test('a certificate that cannot be put in place leaves no key behind', async () => {
  const tls = settings('    cert_file: blocked/steward.crt\n');
  writeFileSync(join(directory, 'blocked'), 'a file where a directory should be');
  await assert.rejects(ensurePair(tls, directory));
  const { key } = pairFiles(tls, directory);
  assert.equal(existsSync(key), false);
  chmodSync(directory, 0o700);
});
