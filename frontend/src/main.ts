/**
 * The unprivileged side of steward as a process: it parses everything that comes from the network and may do nothing that an
 * ordinary account may not. It refuses to run as root, whoever starts it.
 */
import { BROKER_OPERATIONS, TABLE_DIGEST } from '@steward/shared/generated/table.ts';
import { settleAfterStart } from '@steward/shared/host/settle.ts';
import { WorkerPool } from '@steward/shared/workers/pool.ts';
import { Frontend } from './frontend.ts';
import { parseOptions, USAGE, type Options } from './options.ts';
import { findResource, RESOURCES, TEMPLATES } from './resources/index.ts';
import { TOOLS } from './tools/index.ts';
import { judgeArguments } from './tools/judge.ts';
import { programs } from './local/programs.ts';

/** How long running calls may take to end when the process is told to; whoever started it kills it after four seconds. */
const GRACE_MS = 2_500;
const EXIT = { done: 0, failed: 1, usage: 2 } as const;

function main(): void {
  const options = optionsOrExit();
  if (process.getuid?.() === 0) leave('steward-frontend: refusing to run as root', EXIT.failed);
  const frontend = new Frontend({
    socket: options.socket,
    tableDigest: TABLE_DIGEST,
    brokerOperations: BROKER_OPERATIONS,
    listen: options.listen,
    catalogue: { tools: TOOLS, resources: RESOURCES, templates: TEMPLATES, find: findResource },
    pool: new WorkerPool({ file: options.worker ?? new URL('./frontend-worker.js', import.meta.url), nameForRoot: 'frontend' }),
    programs,
    judge: judgeArguments,
    fatal: (status) => process.exit(status),
  });
  watchProcess(frontend, options);
  // Only now: by the title stewardctl finds whom to signal, and without a handler the signal would have ended this process.
  process.title = 'steward-frontend';
  frontend.start().then(
    () => settleAfterStart(),
    () => undefined,
  ); // `fatal` has ended the process
}

function watchProcess(frontend: Frontend, options: Options): void {
  let ending = false;
  const end = (): void => {
    if (ending) return;
    ending = true;
    frontend.log.info('ending');
    void frontend.stop(GRACE_MS).finally(() => process.exit(EXIT.done));
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('SIGHUP', () => frontend.reload());
  process.on('uncaughtException', (error) => {
    frontend.log.error('unexpected error, ending', error);
    process.exit(EXIT.failed);
  });
  if (options.exitWithStdin) process.stdin.on('end', end).on('error', end).resume();
}

function optionsOrExit(): Options {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    return leave(`steward-frontend: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`, EXIT.usage);
  }
}

function leave(message: string, status: number): never {
  process.stderr.write(`${message}\n`);
  process.exit(status);
}

main();
