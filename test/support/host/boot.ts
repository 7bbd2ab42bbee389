/**
 * Boots the Debian system of the host tests in a container and switches it off again: real systemd as process 1, its changes in
 * memory only, this machine's loopback and kernel. Root runs this; test only.
 *
 * The container dies with the process that started it, however that ends: nspawn is the first process of a namespace of its own,
 * which the kernel clears when unshare(1) above it dies, and that when its parent does.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOST, type Recipe } from '../debian/recipes.ts';
import { builtSystem } from '../debian/cache.ts';
import { type Inside, type Ran, endOf, waitUntilRunning } from '../inside/inside.ts';
import { DIST } from '../pair.ts';

/** From the start to the first process of the system, and from switching off to its end. */
const [START_MS, STOP_MS] = [120_000, 30_000];
/** A root is booted by one at a time: how long another run is waited for. */
const BUSY_MS = 300_000;
const COMMAND_MS = 120_000;

export interface Host extends Inside {
  /** Process id, outside, of the system's first process. */
  readonly leader: number;
  /** Switches the system off; kills what does not end in time. */
  stop(): Promise<void>;
}

export interface BootOptions {
  /** Default: the system of the host tests. */
  readonly recipe?: Recipe;
  /** Directories to be seen inside, read-only, as `outside:inside`. */
  readonly binds?: readonly string[];
}

/** Boots the system and waits until it is running. Rejects with the end of its console when it does not come up. */
export async function bootHost({ recipe = HOST, binds = [] }: BootOptions = {}): Promise<Host> {
  const root = join(await builtSystem(recipe), 'root');
  const end = performance.now() + BUSY_MS;
  for (;;) {
    const container = start(root, binds);
    try {
      const host = await enter(container);
      await waitUntilRunning(host);
      return host;
    } catch (error) {
      container.process.kill('SIGKILL');
      if (!container.printed().includes('is currently busy') || performance.now() > end) throw error;
      await sleep(1000);
    }
  }
}

interface Container {
  readonly process: ChildProcess;
  printed(): string;
}

function start(root: string, more: readonly string[]): Container {
  const binds = [`${DIST}:/opt/steward`, `${dirname(process.execPath)}:/opt/runtime`, ...more];
  const args = [
    ...['--directory', root, `--machine=steward-test-${process.pid}`, '--boot', '--register=no', '--keep-unit'],
    ...['--console=pipe', '--volatile=overlay', '--bind-ro=/dev/kmsg', ...binds.map((bind) => `--bind-ro=${bind}`)],
    // What units would have on a host: without these dmesg, interfaces and raw disks are closed to them.
    '--capability=CAP_SYSLOG,CAP_NET_ADMIN,CAP_SYS_RAWIO',
  ];
  const alone = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc', '--', 'systemd-nspawn', ...args];
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', ...alone], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', SYSTEMD_NSPAWN_UNIFIED_HIERARCHY: '1', SYSTEMD_NSPAWN_API_VFS_WRITABLE: '1' },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => (text = (text + piece).slice(-65536)));
  }
  return { process: child, printed: () => text };
}

/** Waits for the first process of the system to be systemd. */
async function enter(container: Container): Promise<Host> {
  const pid = container.process.pid ?? 0;
  const end = performance.now() + START_MS;
  for (;;) {
    const leader = firstProcess(pid);
    if (leader !== undefined) return hostOf(container, leader);
    const isOver = container.process.exitCode !== null || performance.now() > end;
    if (isOver) throw new Error(`the host did not boot:\n${endOf(container.printed())}`);
    await sleep(50);
  }
}

/** The first process below `pid` that is systemd. */
function firstProcess(pid: number): number | undefined {
  try {
    for (let at = pid; at > 0;) {
      if (readFileSync(`/proc/${at}/comm`, 'latin1') === 'systemd\n') return at;
      at = Number(readFileSync(`/proc/${at}/task/${at}/children`, 'latin1').split(' ')[0]);
    }
  } catch {
    // Gone between two looks.
  }
  return undefined;
}

function hostOf(container: Container, leader: number): Host {
  return {
    leader,
    console: container.printed,
    run: (argv, input = '') => runInside(leader, argv, input),
    stop: async () => {
      const { process: child } = container;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      await runInside(leader, ['systemctl', 'poweroff', '--no-block'], '');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

function runInside(leader: number, argv: readonly string[], input: string): Promise<Ran> {
  return new Promise((done) => {
    const args = ['-t', String(leader), '-a', '--', 'env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL=C.UTF-8', ...argv];
    const child = execFile('nsenter', args, { timeout: COMMAND_MS, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 255;
      done({ status, stdout, stderr: status === 255 ? `${stderr}${error?.message ?? ''}` : stderr });
    });
    child.stdin?.on('error', () => undefined); // It need not read what it is given.
    child.stdin?.end(input);
  });
}
