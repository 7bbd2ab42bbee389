/**
 * A real container engine for tests: Debian's dockerd on a socket and in a data directory of its own, without bridge or firewall
 * rules, stopped again with everything that it made. Needs root, docker.io and busybox-static.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const DOCKERD = '/usr/sbin/dockerd';
const BUSYBOX = '/bin/busybox';
const APPLETS = [
  'cat',
  'echo',
  'env',
  'head',
  'id',
  'ls',
  'mkdir',
  'printf',
  'pwd',
  'seq',
  'sh',
  'sleep',
  'tr',
  'true',
  'wc',
  'yes',
];

/** Why these tests cannot run here; false when they can. */
export const skipEngine: string | false =
  process.getuid?.() !== 0
    ? 'needs root to start a container engine'
    : !existsSync(DOCKERD) || !existsSync(BUSYBOX)
      ? 'needs the packages docker.io and busybox-static'
      : false;

export interface EngineReply {
  readonly status: number;
  readonly json: unknown;
}

export interface TestEngine {
  readonly socket: string;
  /** Asks the engine directly, past everything that is tested. `path` without version. */
  ask(method: string, path: string, body?: object | Buffer): Promise<EngineReply>;
  /** Makes a container of the image `box:1` without network and starts it; resolves to its id. `start: false` leaves it created. */
  container(name: string, command: readonly string[], more?: Readonly<Record<string, unknown>>, start?: boolean): Promise<string>;
  /** State of a container, or undefined when it is gone. */
  state(name: string): Promise<string | undefined>;
  /** Builds an image with BuildKit; leaves build cache and, without a tag, a dangling image. */
  build(dockerfile: string, tag?: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startEngine(): Promise<TestEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'steward-dockerd-'));
  const socket = join(directory, 'engine.sock');
  const daemon = spawnDaemon(directory, socket);
  let log = '';
  daemon.stderr?.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-4000)));
  const engine = engineOn(directory, socket, daemon);
  try {
    for (let tries = 0; ; tries += 1) {
      if (daemon.exitCode !== null || tries > 600) throw new Error(`dockerd did not come up:\n${log}`);
      const up = await engine.ask('GET', '/_ping').catch(() => undefined);
      if (up?.status === 200) break;
      await sleep(50);
    }
    await importImage(engine, directory);
    return engine;
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

/** It ends with the test that started it, whatever ends the test. */
function spawnDaemon(directory: string, socket: string): ChildProcess {
  const options = [
    ...['--iptables=false', '--ip6tables=false', '--bridge=none', `--host=unix://${socket}`, '--shutdown-timeout=2'],
    ...[`--data-root=${directory}/data`, `--exec-root=${directory}/exec`, `--pidfile=${directory}/pid`],
  ];
  return spawn('setpriv', ['--pdeathsig', 'SIGTERM', '--', DOCKERD, ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
}

function engineOn(directory: string, socket: string, daemon: ChildProcess): TestEngine {
  const ask: TestEngine['ask'] = (method, path, body) => askEngine(socket, method, path, body);
  return {
    socket,
    ask,
    async container(name, command, more = {}, start = true) {
      const { HostConfig, ...rest } = more as { HostConfig?: object };
      const host = { NetworkMode: 'none', ...HostConfig };
      const made = await ask('POST', `/containers/create?name=${name}`, {
        Image: 'box:1',
        Cmd: command,
        ...rest,
        HostConfig: host,
      });
      if (made.status !== 201) throw new Error(`no container ${name}: ${JSON.stringify(made.json)}`);
      const { Id } = made.json as { Id: string };
      const started = start ? await ask('POST', `/containers/${Id}/start`) : { status: 204, json: {} };
      if (started.status !== 204) throw new Error(`${name} does not start: ${JSON.stringify(started.json)}`);
      return Id;
    },
    async state(name) {
      const { status, json } = await ask('GET', `/containers/${name}/json`);
      return status === 404 ? undefined : (json as { State: { Status: string } }).State.Status;
    },
    async build(dockerfile, tag) {
      const context = join(directory, 'context');
      mkdirSync(context, { recursive: true });
      writeFileSync(join(context, 'Dockerfile'), dockerfile);
      const archive = execFileSync('tar', ['-C', context, '-c', '.']);
      const { status, json } = await ask(
        'POST',
        `/build?version=2&networkmode=none${tag === undefined ? '' : `&t=${tag}`}`,
        archive,
      );
      if (status !== 200 || JSON.stringify(json).includes('errorDetail')) throw new Error(`no build: ${JSON.stringify(json)}`);
    },
    stop: () => stopEngine(directory, daemon, ask),
  };
}

async function stopEngine(directory: string, daemon: ChildProcess, ask: TestEngine['ask']): Promise<void> {
  try {
    // Networks are interfaces of this machine.
    const networks = ((await ask('GET', '/networks')).json ?? []) as { Id: string; Name: string }[];
    const containers = ((await ask('GET', '/containers/json?all=true')).json ?? []) as { Id: string }[];
    for (const { Id } of containers) await ask('DELETE', `/containers/${Id}?force=true&v=true`);
    for (const { Id, Name } of networks) if (!['none', 'host', 'bridge'].includes(Name)) await ask('DELETE', `/networks/${Id}`);
  } catch {
    // An engine that does not answer any more has nothing left to be asked for.
  }
  if (daemon.exitCode === null && daemon.signalCode === null) {
    const ended = new Promise((done) => daemon.once('exit', done));
    daemon.kill('SIGTERM');
    await Promise.race([ended, sleep(15_000).then(() => daemon.kill('SIGKILL'))]);
  }
  unmountBelow(directory);
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** What a killed engine leaves mounted. */
function unmountBelow(directory: string): void {
  const mounted = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((path) => path.startsWith(`${directory}/`));
  for (const path of mounted.sort().reverse()) execFileSync('umount', ['-l', path]);
}

/** A tree with one static program under many names. */
async function importImage(engine: TestEngine, directory: string): Promise<void> {
  const tree = join(directory, 'tree');
  for (const made of ['bin', 'etc', 'tmp', 'srv']) mkdirSync(join(tree, made), { recursive: true });
  writeFileSync(join(tree, 'bin/busybox'), readFileSync(BUSYBOX), { mode: 0o755 });
  for (const applet of APPLETS) symlinkSync('busybox', join(tree, 'bin', applet));
  writeFileSync(join(tree, 'etc/passwd'), 'root:x:0:0:root:/:/bin/sh\napp:x:1000:1000::/:/bin/sh\n');
  const archive = execFileSync('tar', ['-C', tree, '-c', '.'], { maxBuffer: 64 * 1024 * 1024 });
  const { status, json } = await engine.ask('POST', '/images/create?fromSrc=-&repo=box&tag=1', archive);
  if (status !== 200) throw new Error(`no image: ${JSON.stringify(json)}`);
}

function askEngine(socketPath: string, method: string, path: string, body?: object | Buffer): Promise<EngineReply> {
  const content = body === undefined ? undefined : Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const type = Buffer.isBuffer(body) ? 'application/x-tar' : 'application/json';
  const headers = content === undefined ? {} : { 'Content-Type': type, 'Content-Length': Buffer.byteLength(content) };
  return new Promise((done, fail) => {
    const asked = request({ socketPath, method, path, headers, agent: false }, (reply) => {
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => pieces.push(piece)).on('error', fail);
      reply.on('end', () => done({ status: reply.statusCode ?? 0, json: parsed(Buffer.concat(pieces).toString()) }));
    });
    asked.on('error', fail).end(content);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
