/** stewardctl cert: shows the daemon's certificate, and replaces it with a new self-signed one. Reads no private key. */
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { reasonOf } from '@steward/shared/errors.ts';
import { takeWords } from './answer.ts';
import type { HostCall, HostCommand } from './command.ts';
import { withLock } from '../lock.ts';
import { CliError, EXIT } from '../exit.ts';
import { forTerminal } from '../safety.ts';

interface PairPaths {
  readonly cert: string;
  readonly key: string;
  readonly generate: boolean;
}

function pairPaths(call: HostCall): PairPaths {
  const { daemon, directory } = loadSnapshot(call.configDir);
  const { enabled, cert_file, key_file, generate } = daemon.server.tls;
  if (!enabled) throw new CliError(EXIT.failed, 'TLS is off in daemon.yaml: there is no certificate');
  return { cert: resolve(directory, cert_file), key: resolve(directory, key_file), generate };
}

function print(call: HostCall, path: string): void {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(readFileSync(path));
  } catch (error) {
    throw new CliError(EXIT.failed, `cannot read the certificate ${path}: ${reasonOf(error)}`);
  }
  const { subject, subjectAltName, validFrom, validTo, fingerprint256 } = certificate;
  const lines = [
    `File:     ${path}`,
    `Subject:  ${subject.replaceAll('\n', ', ')}`,
    `Names:    ${subjectAltName ?? 'none'}`,
    `Valid:    ${validFrom} to ${validTo}`,
    `SHA-256:  ${fingerprint256}`,
  ];
  call.out.write(forTerminal(`${lines.join('\n')}\n`));
}

function show(call: HostCall): Promise<number> {
  takeWords(call, 'cert show');
  print(call, pairPaths(call).cert);
  return Promise.resolve(EXIT.done);
}

/** The program that makes certificates stands beside this one. */
function makePair(configDir: string): void {
  const program = join(dirname(import.meta.filename), 'certs.js');
  const { status, stderr, error } = spawnSync(process.execPath, [program, '--config-dir', configDir], { encoding: 'utf8' });
  if (error !== undefined) throw new CliError(EXIT.failed, `cannot run ${program}: ${reasonOf(error)}`);
  if (status !== 0) throw new CliError(EXIT.failed, stderr.trim() || `${program} failed`);
}

async function renew(call: HostCall): Promise<number> {
  takeWords(call, 'cert renew');
  const { cert, key, generate } = pairPaths(call);
  if (!generate) throw new CliError(EXIT.failed, 'server.tls.generate is false: the certificate comes from elsewhere');
  const { directory } = loadSnapshot(call.configDir);
  await withLock(directory, () => {
    const kept = [cert, key].filter((path) => existsSync(path)).map((path) => ({ path, aside: `${path}.old-${process.pid}` }));
    for (const { path, aside } of kept) renameSync(path, aside);
    try {
      makePair(directory);
    } catch (error) {
      for (const { path, aside } of kept) renameSync(aside, path);
      throw error;
    }
    for (const { aside } of kept) rmSync(aside);
    return Promise.resolve();
  });
  print(call, cert);
  call.err.write('The daemon uses it after a restart; clients that pinned the old one must pin this one.\n');
  return EXIT.done;
}

export const certCommands: readonly HostCommand[] = [
  { path: ['cert', 'show'], usage: '', summary: 'Show the certificate, its fingerprint and validity', options: [], run: show },
  {
    path: ['cert', 'renew'],
    usage: '',
    summary: 'Replace the self-signed certificate with a new one',
    details: ['The old pair is kept until the new one is in place. The daemon uses it after a restart.'],
    options: [],
    run: renew,
  },
];
