/**
 * Behind `make run`: prepares `.run/` at the first start, says how to reach the daemon, and becomes the launcher. Bundled like
 * the programs it starts, so that a start costs no build tool.
 *
 *   node dist/run.js [--config DIR] [--port N] [--cwd DIR]     --cwd: what a relative --config is relative to
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writerOf } from '@steward/shared/audit/writer-mark.ts';
import { parseDaemon } from '@steward/shared/config/daemon.ts';
import { ConfigDirectory } from '@steward/shared/config/files.ts';
import { hostAccounts } from '@steward/shared/config/load.ts';
import type { DaemonConfig } from '@steward/shared/config/types.ts';
import { prepareRun } from './lib/first-start.ts';

// Both scripts/run.ts and dist/run.js lie one directory below the checkout.
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RUN = join(ROOT, '.run');

interface Start {
  readonly configDir: string;
  readonly stateDir: string;
  readonly daemon: DaemonConfig;
  /** Empty: what the configuration says. */
  readonly port: string;
  /** Where the token is; undefined for a configuration that was not made here. */
  readonly token: string | undefined;
}

function readStart(): Start {
  const { values } = parseArgs({ options: { config: { type: 'string' }, port: { type: 'string' }, cwd: { type: 'string' } } });
  const port = values.port ?? '';
  if (port !== '' && !(/^\d{1,5}$/.test(port) && Number(port) <= 65535)) throw new Error(`PORT=${port} is not a port`);
  const given = values.config ?? '';
  if (given === '') {
    const accounts = hostAccounts();
    prepareRun(RUN, join(ROOT, 'packaging/daemon.yaml'), (name) => accounts.get(name) !== undefined);
  }
  const configDir = given === '' ? join(RUN, 'config') : resolve(values.cwd ?? '.', given);
  // The audit log's secrets belong to one configuration.
  const state = given === '' ? join(RUN, 'state') : `${RUN}.${digest(configDir)}`;
  const daemon = parseDaemon(new ConfigDirectory(configDir).readText('daemon.yaml'), join(configDir, 'daemon.yaml'));
  const other = writerOf(daemon.audit.directory);
  if (other !== undefined)
    throw new Error(`steward runs here already: process ${String(other)} writes ${daemon.audit.directory}. End it first`);
  return { configDir, stateDir: state, daemon, port, token: given === '' ? join(RUN, 'token') : undefined };
}

/** Short name for a configuration directory. */
function digest(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}

/** The address that a client on this host uses for a listen address. */
function urlOf(start: Start): string {
  const scheme = start.daemon.server.tls.enabled ? 'https' : 'http';
  const listen = start.port === '' ? (start.daemon.server.listen[0] ?? '') : `127.0.0.1:${start.port}`;
  return `${scheme}://${listen.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:')}`;
}

/** What a person needs to try the daemon. */
function introduction(start: Start, url: string): string {
  const { tls } = start.daemon.server;
  const cert = resolve(start.configDir, tls.cert_file);
  const token = start.token ?? 'TOKEN_FILE';
  const trust = tls.enabled ? `--cacert ${cert} ` : '';
  const client = start.token !== undefined ? '' : clientFlags(url, token, tls.enabled ? cert : undefined);
  return [
    `steward    ${url}`,
    ...(start.token === undefined ? [] : [`token      ${start.token}`]),
    ...(tls.enabled ? [`cert       ${cert}`] : []),
    'try        (the first answers with a stream: end it with Ctrl-C)',
    `  curl -N ${trust}-H "Authorization: Bearer $(cat ${token})" ${url}/sse`,
    `  ${join(ROOT, 'node_modules/.bin/node')} ${join(ROOT, 'dist/stewardctl.js')}${client} list files /etc`,
  ].join('\n');
}

function clientFlags(url: string, token: string, cert: string | undefined): string {
  return ` --server ${url} --token-file ${token}${cert === undefined ? '' : ` --ca-file ${cert}`}`;
}

try {
  const start = readStart();
  const url = urlOf(start);
  // stewardctl looks here first: with PORT the configuration names another address.
  if (start.token !== undefined) writeFileSync(join(RUN, 'url'), `${url}\n`);
  console.log(introduction(start, url));
  const listen = start.port === '' ? [] : ['--listen', `127.0.0.1:${start.port}`];
  // The shipped account need not exist on a developer's machine; the launcher then takes nobody.
  const named = start.daemon.broker.frontend_account;
  const account = named === 'steward' ? [] : ['--account', named];
  const launcher = join(ROOT, 'dist/launcher.js');
  const args = [
    process.execPath,
    launcher,
    '--config-dir',
    start.configDir,
    '--state-dir',
    start.stateDir,
    ...account,
    ...listen,
  ];
  // The launcher takes this process's place: Ctrl-C and signals reach it without anything between.
  process.execve?.(process.execPath, args, process.env);
} catch (error) {
  console.error(`run: ${(error as Error).message}`);
  process.exitCode = 2;
}
