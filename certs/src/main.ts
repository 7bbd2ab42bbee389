/**
 * `certs.js --config-dir DIR`: makes the self-signed certificate that daemon.yaml asks for, if there is none. A program of its own,
 * so that neither daemon holds code that makes certificates. Exit status 0: there is a pair; 2: there is none and why.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseDaemon } from '@steward/shared/config/daemon.ts';
import { ConfigDirectory } from '@steward/shared/config/files.ts';
import { ensurePair, pairFiles } from './files.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { 'config-dir': { type: 'string' } }, strict: true, allowPositionals: false });
  const given = values['config-dir'];
  if (given === undefined) throw new Error('--config-dir is missing');
  const configDir = resolve(given);
  const text = new ConfigDirectory(configDir).readText('daemon.yaml');
  const { tls } = parseDaemon(text, join(configDir, 'daemon.yaml')).server;
  if (await ensurePair(tls, configDir)) console.error(`certs: made a self-signed certificate: ${pairFiles(tls, configDir).cert}`);
}

try {
  await main();
} catch (error) {
  console.error(`certs: ${(error as Error).message}`);
  process.exitCode = 2;
}
