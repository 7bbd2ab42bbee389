/**
 * The broker: the only process of steward with rights. It is started for one connection, which it inherits as descriptor 0, serves
 * the rows of its table on it, and ends with it.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { AuditFeed } from '@steward/shared/audit/feed.ts';
import { SEALER, sealerIn } from '@steward/shared/audit/seal-operation.ts';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { protectedList } from '@steward/shared/config/protected.ts';
import { readTlsPair, type TlsPair } from '@steward/shared/config/tls.ts';
import { ConfigError, type ConfigSnapshot } from '@steward/shared/config/types.ts';
import { args, messages } from '@steward/shared/generated/validators.js';
import { makeGuard } from '@steward/shared/host/guarding.ts';
import { settleAfterStart } from '@steward/shared/host/settle.ts';
import { InboxSocket } from '@steward/shared/ipc/inbox-socket.ts';
import { WorkerPool } from '@steward/shared/workers/pool.ts';
import { describeTable, renderAllowlist, tableDigest } from './allowlist.ts';
import { AuditLog } from './audit/log.ts';
import { Broker, EXIT } from './broker.ts';
import { welcome } from './connection/handshake.ts';
import { engineOpener } from './engine.ts';
import { ownProcesses, parsePeer, peerProblem, strayDescriptor } from './environment.ts';
import { say } from './say.ts';
import { TABLE } from './table.ts';

const USAGE = 'usage: broker --config-dir DIR --state-dir DIR, or --print-allowlist [--json]';

/** Ends the process; the last line of a start that cannot go on. */
function leave(status: number, reason: string): never {
  say(reason);
  process.exit(status);
}

function options() {
  try {
    const string = { type: 'string' } as const;
    const boolean = { type: 'boolean' } as const;
    return parseArgs({
      options: { 'config-dir': string, 'state-dir': string, 'print-allowlist': boolean, json: boolean },
    }).values;
  } catch (error) {
    return leave(EXIT.config, `${(error as Error).message} (${USAGE})`);
  }
}

function load(directory: string): { config: ConfigSnapshot; tls: TlsPair | null } {
  try {
    const config = loadSnapshot(directory);
    return { config, tls: readTlsPair(config) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(EXIT.config);
  }
}

/** The connection that was handed over. */
function connection(): InboxSocket {
  try {
    return new InboxSocket({ fd: 0, readable: true, writable: true, allowHalfOpen: true });
  } catch {
    return leave(EXIT.failed, 'descriptor 0 is not a connection');
  }
}

/** Bundled beside this file, or its source in a checkout. */
function workerFile(): URL {
  const bundled = new URL('./broker-worker.js', import.meta.url);
  return existsSync(bundled) ? bundled : new URL('./worker.ts', import.meta.url);
}

async function serve(configDir: string, stateDir: string): Promise<void> {
  if (process.env['NODE_OPTIONS'] !== undefined) leave(EXIT.failed, 'refusing to start with NODE_OPTIONS set');
  const stray = strayDescriptor();
  if (stray !== undefined) leave(EXIT.failed, `refusing to start with an unexpected descriptor: ${stray}`);
  process.title = 'steward-broker';
  process.umask(0o077);
  const { config, tls } = load(configDir);
  const digest = tableDigest(TABLE);
  const { directory, segment_bytes: segmentBytes, seal_seconds: everySeconds } = config.daemon.audit;
  const sealing = new WorkerPool({ file: workerFile(), ...SEALER });
  const sealer = sealerIn(sealing, { keys: join(stateDir, 'audit-seal'), log: directory, everySeconds, report: say });
  const feed = new AuditFeed();
  const audit = await AuditLog.open({ directory, segmentBytes, tableDigest: digest, sealer, feed }).catch((error: unknown) =>
    leave(EXIT.config, `${config.files[0]}:1: audit.directory: ${(error as Error).message}`),
  );
  const peer = parsePeer(process.env['STEWARD_PEER'] ?? '');
  const problem = peerProblem(peer, process.getuid?.() ?? 0, config.daemon.broker.frontend_account);
  if (peer === undefined || problem !== undefined) {
    await audit.append({ kind: 'violation', code: 'VIOLATION', detail: problem ?? '' }).catch(() => 0);
    await audit.close();
    leave(EXIT.peer, problem ?? '');
  }
  for (const warning of config.warnings) say(warning);
  const program = dirname(fileURLToPath(import.meta.url));
  const list = protectedList(config, stateDir, program, ownProcesses(peer));
  const pool = new WorkerPool({ file: workerFile(), nameForRoot: 'steward-broker-worker' });
  const engine = engineOpener({
    socket: config.daemon.broker.engine_socket,
    report: (detail) => void audit.append({ kind: 'violation', code: 'VIOLATION', detail }).catch(() => say(detail)),
  });
  const broker = new Broker(connection(), {
    table: TABLE,
    tableDigest: digest,
    validators: { messages, args },
    config,
    guard: makeGuard(list),
    pool,
    engine,
    audit,
    feed,
    welcome: welcome({ tableDigest: digest, config, tls, protectedList: list }),
    exit: (status) => void Promise.all([audit.close(), pool.close()]).finally(() => process.exit(status)),
  });
  settleAfterStart();
  process.on('SIGHUP', () => broker.reload());
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => broker.shutDown());
}

process.on('uncaughtException', (error) => leave(EXIT.failed, `defect: ${error.stack ?? error.message}`));
const { 'config-dir': configDir, 'state-dir': stateDir, 'print-allowlist': print, json } = options();
if (print === true) {
  process.stdout.write(
    json === true
      ? `${JSON.stringify({ digest: tableDigest(TABLE), ...describeTable(TABLE) }, null, 2)}\n`
      : renderAllowlist(TABLE),
  );
} else if (configDir === undefined || stateDir === undefined) leave(EXIT.config, USAGE);
else await serve(configDir, stateDir);
