/**
 * Starts a real pair through the real launcher on loopback, with a configuration of the test's own, and stops it again.
 * Everything lives in one temporary directory that is removed at the end. The bundles in dist/ are what runs.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { grantsFile, usersFile } from './config-files.ts';
import { outputFile } from './output-file.ts';
import { DIST, ROOT } from './paths.ts';
import { freePort } from './port.ts';
import { programsFor } from './programs.ts';
import { connectSse, type SseClient } from './sse-client.ts';

export { DIST, ROOT, grantsFile, usersFile };
export const isRoot = process.getuid?.() === 0;

export interface PairOptions {
  /** YAML below `users:` of grants.yaml, indented by two spaces. */
  readonly grants?: string;
  /** User names; each gets one token. Default `ops` and `guest`. */
  readonly users?: readonly string[];
  /** Extra text for daemon.yaml (top-level keys other than version, server, broker, audit). */
  readonly daemon?: string;
  /** Keys for the server block, two-space indented lines. */
  readonly server?: string;
  /** A command line that runs the launcher, whose command line follows it; the process must be the launcher's own. */
  readonly under?: readonly string[];
  /** Keys for the broker block, two-space indented lines. */
  readonly broker?: string;
  /** Directory of the programs that are started; default the built ones. */
  readonly dist?: string;
  /** Keys for the audit block, two-space indented lines. */
  readonly audit?: string;
  /** Run the whole pair as this uid (root only). */
  readonly asUid?: number;
  /** On a terminal of its own; what is written to `launcher.stdin` is typed there. */
  readonly terminal?: boolean;
}

export interface Pair {
  readonly port: number;
  readonly url: string;
  readonly ca: string;
  readonly directory: string;
  readonly configDir: string;
  readonly stateDir: string;
  readonly auditDir: string;
  readonly launcher: ChildProcess;
  token(user: string): string;
  /** A session of that user; closed with the pair. */
  connect(user: string): Promise<SseClient>;
  /** Rewrites grants.yaml (text below `users:`); the caller reloads. */
  writeGrants(grants: string): void;
  /** Process ids with that title below the launcher. */
  pids(title: 'steward-broker' | 'steward-frontend'): number[];
  /** All records of the audit log, in order, but the seals: they come when they are due. */
  records(): AuditRecord[];
  /** What the pair printed so far. */
  output(): string;
  stop(): Promise<void>;
}

/** Ids of all processes below `pid`. */
function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'latin1');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // The process is gone.
    }
  }
  const found: number[] = [];
  for (const queue = [pid]; queue.length > 0;) {
    const below = children.get(queue.shift() ?? 0) ?? [];
    found.push(...below);
    queue.push(...below);
  }
  return found;
}

function chownTree(directory: string, uid: number): void {
  chownSync(directory, uid, uid);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) chownTree(path, uid);
    else chownSync(path, uid, uid);
  }
}

/** Account that a root pair's frontend runs under here. */
export function frontendAccount(): string {
  const passwd = readFileSync('/etc/passwd', 'utf8');
  return /^steward:/m.test(passwd) ? 'steward' : 'nobody';
}

export async function startPair(options: PairOptions = {}): Promise<Pair> {
  if (!existsSync(join(DIST, 'launcher.js'))) throw new Error('dist/ is not built: run `make build`');
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'steward-pair-'));
  const configDir = join(directory, 'config');
  const stateDir = join(directory, 'state');
  const auditDir = join(directory, 'audit');
  for (const made of [configDir, stateDir, auditDir, join(configDir, 'tls')]) mkdirSync(made, { mode: 0o700 });
  chmodSync(directory, 0o711);
  const tokens = new Map((options.users ?? ['ops', 'guest']).map((name) => [name, randomBytes(32).toString('hex')]));
  writeFileSync(
    join(configDir, 'daemon.yaml'),
    `version: 1\nserver:\n  listen: ["127.0.0.1:${port}"]\n${options.server ?? ''}` +
      `broker:\n  frontend_account: ${frontendAccount()}\n${options.broker ?? ''}audit:\n  directory: ${auditDir}\n${options.audit ?? ''}${options.daemon ?? ''}`,
    { mode: 0o640 },
  );
  writeFileSync(join(configDir, 'users.yaml'), usersFile(tokens), { mode: 0o600 });
  writeFileSync(join(configDir, 'grants.yaml'), grantsFile(options.grants ?? ''), { mode: 0o600 });
  execFileSync(process.execPath, [join(DIST, 'certs.js'), '--config-dir', configDir], { stdio: 'pipe' });
  const uid = options.asUid;
  if (uid !== undefined) chownTree(directory, uid);

  const directories = ['--config-dir', configDir, '--state-dir', stateDir];
  const programs = programsFor(uid);
  const command = [
    ...(options.under ?? []),
    programs.node,
    join(options.dist ?? programs.dist, 'launcher.js'),
    ...directories,
    '--account',
    frontendAccount(),
  ];
  const onTerminal = ['/usr/bin/script', '-qec', `exec ${command.join(' ')}`, '/dev/null'];
  const [program = '', ...args] = options.terminal === true ? onTerminal : command;
  const input = options.terminal === true ? 'pipe' : 'ignore';
  const log = outputFile(directory);
  const launcher = spawn(program, args, { stdio: [input, log.fd, log.fd], ...(uid === undefined ? {} : { uid, gid: uid }) });
  const url = `https://127.0.0.1:${port}`;
  const ca = readFileSync(join(configDir, 'tls/steward.crt'), 'utf8');
  const clients: SseClient[] = [];

  const pair: Pair = {
    port,
    url,
    ca,
    directory,
    configDir,
    stateDir,
    auditDir,
    launcher,
    token: (user) => tokens.get(user) ?? '',
    connect: async (user) => {
      const client = await connectSse({ url, ca, token: tokens.get(user) ?? '' });
      clients.push(client);
      return client;
    },
    writeGrants: (grants) => writeFileSync(join(configDir, 'grants.yaml'), grantsFile(grants)),
    pids: (title) =>
      descendants(launcher.pid ?? 0).filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(title);
        } catch {
          return false;
        }
      }),
    records: () =>
      readdirSync(auditDir)
        .filter((name) => name.endsWith('.jsonl'))
        .sort()
        .flatMap((name) => readFileSync(join(auditDir, name), 'utf8').split('\n').filter(Boolean))
        .map((line) => JSON.parse(line) as AuditRecord)
        .filter(({ kind }) => kind !== 'seal'),
    output: log.text,
    stop: async () => {
      for (const client of clients) client.close();
      if (launcher.exitCode === null && launcher.signalCode === null) {
        const ended = new Promise((done) => launcher.once('exit', done));
        launcher.kill('SIGTERM');
        await Promise.race([ended, sleep(8000, undefined, { ref: false }).then(() => launcher.kill('SIGKILL'))]);
      }
      log.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await waitForListener(pair, port);
  } catch (error) {
    await pair.stop();
    throw error;
  }
  return pair;
}

async function waitForListener(pair: Pair, port: number): Promise<void> {
  const { connect } = await import('node:net');
  for (let tries = 0; tries < 400; tries += 1) {
    if (pair.launcher.exitCode !== null) break;
    const open = await new Promise<boolean>((done) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy();
        done(true);
      }).on('error', () => done(false));
    });
    if (open) return;
    await sleep(25);
  }
  throw new Error(`the pair did not come up:\n${pair.output()}`);
}

/** Waits until `condition` holds; fails after `ms`. */
export async function eventually<T>(
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  ms = 30_000,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error('the condition never held');
    await sleep(20);
  }
}
