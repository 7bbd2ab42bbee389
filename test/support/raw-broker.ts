/**
 * Starts one broker the way the launcher does: a Unix connection as descriptor 0 and STEWARD_PEER, with a configuration of the
 * test's own in a temporary directory. From the sources by default, or the bundle with the shipped flags.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AuditRecord } from '@steward/shared/audit/record.ts';
import { FLAGS } from '../../broker/launcher/commands.ts';
import { RawClient } from './raw-client.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

export interface BrokerHome {
  readonly directory: string;
  readonly configDir: string;
  readonly stateDir: string;
  readonly auditDir: string;
  token(user: string): string;
  /** Replaces grants.yaml; `grants` is the YAML below `users:`, indented by two spaces. */
  writeGrants(grants: string): void;
  /** Replaces users.yaml by one with these users; tokens of users that stay are kept. */
  writeUsers(names: readonly string[]): void;
  /** Replaces daemon.yaml; `extra` are top-level keys. */
  writeDaemon(extra: string): void;
  /** All records of the audit log but the seals. */
  records(): AuditRecord[];
  remove(): void;
}

/** Makes a configuration with users `ops` and `guest`. */
export function makeHome(grants: string, daemon = ''): BrokerHome {
  const directory = mkdtempSync(join(tmpdir(), 'steward-raw-'));
  const [configDir, stateDir, auditDir] = ['config', 'state', 'audit'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const made of [configDir, stateDir]) mkdirSync(made, { mode: 0o700 });
  const tokens = new Map<string, string>();
  const write = (name: string, text: string): void => writeFileSync(join(configDir, name), text, { mode: 0o600 });
  const home: BrokerHome = {
    directory,
    configDir,
    stateDir,
    auditDir,
    token: (user) => tokens.get(user) ?? '',
    writeGrants: (text) => write('grants.yaml', text === '' ? 'version: 1\nusers: {}\n' : `version: 1\nusers:\n${text}`),
    writeUsers: (names) => write('users.yaml', `version: 1\nusers:\n${names.map((name) => userEntry(name, tokens)).join('')}`),
    writeDaemon: (extra) =>
      write(
        'daemon.yaml',
        `version: 1\nserver:\n  listen: ["127.0.0.1:9091"]\n  tls: {enabled: false}\nbroker: {frontend_account: nobody}\n` +
          (/^audit:/m.test(extra)
            ? extra.replace(/^audit: \{/m, `audit: {directory: ${auditDir}, `)
            : `audit: {directory: ${auditDir}}\n${extra}`),
      ),
    records: () => readRecords(auditDir),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
  home.writeDaemon(daemon);
  home.writeUsers(['ops', 'guest']);
  home.writeGrants(grants);
  return home;
}

function userEntry(name: string, tokens: Map<string, string>): string {
  const token = tokens.get(name) ?? randomBytes(32).toString('hex');
  tokens.set(name, token);
  const salt = createHash('sha256').update(`${name}${token}`).digest().subarray(0, 16); // the same each time the file is written
  const hash = createHash('sha256').update(salt).update(token).digest('hex');
  return `  - name: ${name}\n    tokens:\n      - {id: test, salt: "${salt.toString('hex')}", hash: "${hash}"}\n`;
}

function readRecords(directory: string): AuditRecord[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
  return names
    .sort()
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line) as AuditRecord)
    .filter(({ kind }) => kind !== 'seal');
}

export interface RawBroker {
  readonly client: RawClient;
  readonly child: ChildProcess;
  /** Exit status; null for a signal. */
  readonly exit: Promise<number | null>;
  stderr(): string;
  /** Ends the connection and waits for the broker. */
  stop(): Promise<number | null>;
}

export interface StartOptions {
  /** Run dist/broker.js with the flags that ship. */
  readonly bundle?: boolean;
  readonly env?: NodeJS.ProcessEnv;
  /** A program, with arguments, that runs the broker. */
  readonly wrap?: readonly string[];
  /** Further descriptors for the broker, as 3 and on. */
  readonly descriptors?: readonly number[];
}

/** STEWARD_PEER as the launcher would set it here. */
export function peerOfLauncher(): string {
  const own = process.getuid?.() ?? 0;
  const nobody = /^nobody:[^:]*:(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[1];
  return `launcher-${own === 0 ? nobody : own}`;
}

let sockets = 0;

/** Starts a broker on a connection of its own. */
export async function startBroker(home: BrokerHome, options: StartOptions = {}): Promise<RawBroker> {
  const [near, far] = await socketPair(join(home.directory, `s${(sockets += 1)}`));
  const program =
    options.bundle === true
      ? [...FLAGS, '--frozen-intrinsics', join(ROOT, 'dist/broker.js')]
      : [join(ROOT, 'broker/src/main.ts')];
  const line = [process.execPath, ...program, '--config-dir', home.configDir, '--state-dir', home.stateDir];
  const [first = '', ...rest] = [...(options.wrap ?? []), ...line];
  const child = spawn(first, rest, {
    stdio: [far, 'inherit', 'pipe', ...(options.descriptors ?? [])],
    env: options.env ?? { STEWARD_PEER: peerOfLauncher() },
    cwd: '/',
  });
  far.destroy();
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exit = new Promise<number | null>((done) => child.once('close', done));
  const client = new RawClient(near);
  return {
    client,
    child,
    exit,
    stderr: () => stderr,
    stop: async () => {
      near.destroy();
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      const status = await exit;
      clearTimeout(timer);
      return status;
    },
  };
}

export const bundleIsBuilt = (): boolean => existsSync(join(ROOT, 'dist/broker.js'));

async function socketPair(path: string): Promise<[Socket, Socket]> {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, accepted.resolve);
  await new Promise<void>((done) => server.listen(path, done));
  const near = connect({ path, allowHalfOpen: true });
  const far = await accepted.promise;
  server.close();
  return [near, far];
}
