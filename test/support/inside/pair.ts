/**
 * The pair inside a booted system: installed and started under its own units, configuration in /etc/steward, and reached from
 * outside. Test only.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reachable } from '../ctl.ts';
import { DIST, grantsFile, usersFile } from '../pair.ts';
import { type SseClient, connectSse } from '../sse-client.ts';
import { type Inside, endOf, install, output } from './inside.ts';
import { STEWARDCTL, installUnits, startUnits, stopUnits } from './units.ts';

/** Where the bundles and the runtime are mounted inside. */
const OPT = '/opt';

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
  /** Keys for the audit block, two-space indented lines. */
  readonly audit?: string;
  /** Under the profile that stewardctl makes of the grants. */
  readonly sealed?: boolean;
  /** Drop-ins of the broker's unit, by file name. */
  readonly dropIns?: Readonly<Record<string, string>>;
}

export interface InsidePair {
  /** Where it is reached from out here, and as whom. */
  readonly reachable: Reachable;
  /** A session of that user. */
  connect(user: string): Promise<SseClient>;
  /** Contents of the audit log. */
  audit(): Promise<string>;
  /** Ends all sessions and the service. */
  stop(): Promise<void>;
}

/** Certificate and key for a configuration, made out here: in an emulated machine it takes long. */
function certificateFor(daemon: string): { readonly crt: string; readonly key: string } {
  const directory = mkdtempSync(join(tmpdir(), 'steward-certificate-'));
  try {
    writeFileSync(join(directory, 'daemon.yaml'), daemon, { mode: 0o600 });
    execFileSync(process.execPath, [join(DIST, 'certs.js'), '--config-dir', directory], { stdio: 'pipe' });
    const read = (name: string): string => readFileSync(join(directory, 'tls', name), 'utf8');
    return { crt: read('steward.crt'), key: read('steward.key') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Writes the configuration and gives the certificate. */
async function configure(inside: Inside, options: InsidePairOptions, tokens: ReadonlyMap<string, string>): Promise<string> {
  const daemon =
    `version: 1\nserver:\n  listen: ["${options.listen}"]\nbroker:\n  frontend_account: steward\n` +
    `audit:\n  directory: /var/log/steward/audit\n${options.audit ?? ''}` +
    'logging:\n  level: debug\nlimits:\n  timeout_seconds: 120\n';
  const { crt, key } = certificateFor(daemon);
  await install(inside, '/etc/steward/daemon.yaml', daemon, '600');
  await install(inside, '/etc/steward/users.yaml', usersFile(tokens), '600');
  await install(inside, '/etc/steward/grants.yaml', grantsFile(options.grants ?? ''), '600');
  await install(inside, '/etc/steward/tls/steward.crt', crt, '644');
  await install(inside, '/etc/steward/tls/steward.key', key, '600');
  return crt;
}

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => done(true)).on('error', () => done(false));
    socket.setTimeout(1000, () => done(false));
  });
}

/** Waits until someone listens inside: the port out here may answer before. */
async function waitForAnswer(inside: Inside, options: InsidePairOptions): Promise<void> {
  const end = performance.now() + options.patienceMs;
  while (performance.now() < end) {
    const listens = (await answers(options.port)) && (await inside.run(['ss', '-Hltn'])).stdout.includes(options.listen);
    if (listens) return;
    await sleep(100);
  }
  const log = await inside.run(['journalctl', '--no-pager', '--quiet', '--unit=steward-*', '--lines=40']);
  throw new Error(`the pair inside did not come up:\n${log.stdout}\n${endOf(inside.console())}`);
}

/** Starts the pair in a system that is running. Throws with its journal when it does not come up. */
export async function startInside(inside: Inside, options: InsidePairOptions): Promise<InsidePair> {
  const tokens = new Map((options.users ?? ['ops', 'guest']).map((name) => [name, randomBytes(32).toString('hex')]));
  await installUnits(inside, { opt: OPT, dropIns: options.dropIns ?? {} });
  const ca = await configure(inside, options, tokens);
  if (options.sealed === true) {
    await output(inside, ...STEWARDCTL, 'grants', 'profile', '--install');
    await output(inside, 'systemctl', 'daemon-reload');
  }
  await startUnits(inside);
  await waitForAnswer(inside, options);
  const clients: SseClient[] = [];
  const url = `https://127.0.0.1:${options.port}`;
  const token = (user: string): string => tokens.get(user) ?? '';
  return {
    reachable: { url, ca, token },
    connect: async (user) => {
      const client = await connectSse({ url, ca, token: token(user) });
      clients.push(client);
      return client;
    },
    audit: () => output(inside, 'sh', '-c', 'cat /var/log/steward/audit/*.jsonl'),
    stop: async () => {
      for (const client of clients) client.close();
      await stopUnits(inside);
    },
  };
}
