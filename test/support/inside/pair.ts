/**
 * The pair inside a booted system: configuration in /etc/steward, started by the launcher as a service of that system, and
 * reached from outside. Test only.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { grantsFile, usersFile } from '../pair.ts';
import { type SseClient, connectSse } from '../sse-client.ts';
import { type Inside, endOf, install, output } from './inside.ts';

/** Where the bundles and the runtime are mounted inside. */
export const OPT = '/opt';
const NODE = `${OPT}/runtime/node`;
/** Not one of steward's own names: a transient unit of the test. */
const UNIT = 'pair-under-test.service';

export interface InsidePairOptions {
  /** YAML below `users:` of grants.yaml, indented by two spaces. */
  readonly grants?: string;
  /** User names, each with one token and the account of that name, if there is one. */
  readonly users?: readonly string[];
  /** Listen address inside. */
  readonly listen: string;
  /** Port on this machine's loopback that leads there. */
  readonly port: number;
  /** Milliseconds until it has to answer. */
  readonly patienceMs: number;
}

export interface InsidePair {
  /** A session of that user. */
  connect(user: string): Promise<SseClient>;
  /** Contents of the audit log. */
  audit(): Promise<string>;
  /** Ends all sessions and the service. */
  stop(): Promise<void>;
}

async function configure(inside: Inside, options: InsidePairOptions, tokens: ReadonlyMap<string, string>): Promise<void> {
  const daemon =
    `version: 1\nserver:\n  listen: ["${options.listen}"]\nbroker:\n  frontend_account: steward\n` +
    'audit:\n  directory: /var/log/steward/audit\nlogging:\n  level: debug\n';
  await output(inside, 'install', '-d', '-m', '700', '/etc/steward', '/var/log/steward', '/var/log/steward/audit');
  await install(inside, '/etc/steward/daemon.yaml', daemon, '600');
  await install(inside, '/etc/steward/users.yaml', usersFile(tokens), '600');
  await install(inside, '/etc/steward/grants.yaml', grantsFile(options.grants ?? ''), '600');
}

async function startService(inside: Inside): Promise<void> {
  const launcher = ['--config-dir', '/etc/steward', '--state-dir', '/var/lib/steward', '--account', 'steward'];
  const service = ['--quiet', '--collect', `--unit=${UNIT}`, '--property=KillMode=mixed', '--property=TimeoutStopSec=10'];
  await output(inside, 'systemd-run', ...service, '--', NODE, `${OPT}/steward/launcher.js`, ...launcher);
}

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => done(true)).on('error', () => done(false));
    socket.setTimeout(1000, () => done(false));
  });
}

/** The certificate, once it has been made and someone listens. */
async function waitForAnswer(inside: Inside, options: InsidePairOptions): Promise<string> {
  const end = performance.now() + options.patienceMs;
  while (performance.now() < end) {
    const listens = (await answers(options.port)) && (await inside.run(['ss', '-Hltn'])).stdout.includes(options.listen);
    if (listens) return output(inside, 'cat', '/etc/steward/tls/steward.crt');
    await sleep(100);
  }
  const log = await inside.run(['journalctl', '--no-pager', '--quiet', `--unit=${UNIT}`, '--lines=40']);
  throw new Error(`the pair inside did not come up:\n${log.stdout}\n${endOf(inside.console())}`);
}

/** Starts the pair in a system that is running. Throws with its journal when it does not come up. */
export async function startInside(inside: Inside, options: InsidePairOptions): Promise<InsidePair> {
  const tokens = new Map((options.users ?? ['ops', 'guest']).map((name) => [name, randomBytes(32).toString('hex')]));
  await configure(inside, options, tokens);
  await startService(inside);
  const ca = await waitForAnswer(inside, options);
  const clients: SseClient[] = [];
  return {
    connect: async (user) => {
      const client = await connectSse({ url: `https://127.0.0.1:${options.port}`, ca, token: tokens.get(user) ?? '' });
      clients.push(client);
      return client;
    },
    audit: () => output(inside, 'sh', '-c', 'cat /var/log/steward/audit/*.jsonl'),
    stop: async () => {
      for (const client of clients) client.close();
      await inside.run(['systemctl', 'stop', '--', UNIT]);
    },
  };
}
