/**
 * The harness of the race tests: a tree inside a grant with a canary outside, and an attacker, a process of its own, that keeps
 * exchanging the two while calls run. Test only.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** In memory the attacker is several times as fast. */
const FAST = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
export const SECRET = 'outside secret\n';
export const INSIDE = 'inside content\n';

export interface Ground {
  readonly base: string;
  /** What grants cover; in it the directory `d` with the files `victim` and `deep/victim`. */
  readonly grant: string;
  /** The same without `d`: what must never be reached. */
  readonly outside: string;
  readonly victim: string;
  /** A fresh tree. */
  plant(): void;
  /** Everything about the outside that a breach would change. */
  canary(): string;
  remove(): void;
}

export function makeGround(): Ground {
  const base = mkdtempSync(join(FAST, 'steward-race-'));
  chmodSync(base, 0o755);
  const [grant, outside] = [join(base, 'granted'), join(base, 'outside')];
  return {
    base,
    grant,
    outside,
    victim: join(grant, 'd/victim'),
    plant: () => plant(grant, outside),
    canary: () => factsAbout(outside),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

function plant(grant: string, outside: string): void {
  for (const directory of [grant, outside]) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(join(directory, 'deep'), { recursive: true });
  }
  mkdirSync(join(grant, 'd/deep'), { recursive: true });
  for (const name of ['victim', 'deep/victim']) {
    writeFileSync(join(outside, name), SECRET, { mode: 0o600 });
    writeFileSync(join(grant, 'd', name), INSIDE, { mode: 0o600 });
  }
}

function factsAbout(outside: string): string {
  const facts = readdirSync(outside, { recursive: true }).map((name) => {
    const path = join(outside, String(name));
    const { mode, uid, gid, size, mtimeMs } = lstatSync(path);
    return `${String(name)} ${mode} ${uid} ${gid} ${size} ${mtimeMs} ${lstatSync(path).isFile() ? readFileSync(path, 'latin1') : ''}`;
  });
  const { mode, uid, gid } = statSync(outside);
  return `${mode} ${uid} ${gid}\n${facts.sort().join('\n')}`;
}

/** By exchanging two names, or with a moment in which nothing is there. */
export type Way = 'exchanged' | 'replaced';
export type Kind = 'dir' | 'file';

const support = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A process that swaps until its input ends, or so many times as were asked for (exchanges only; 0 for no limit). */
function startAttacker(ground: Ground, way: Way, kind: Kind, swaps: number): ChildProcessByStdio<Writable, Readable, null> {
  const { base, grant, outside, victim } = ground;
  const [path, target] = kind === 'dir' ? [join(grant, 'd'), outside] : [victim, join(outside, 'victim')];
  const stdio: ['pipe', 'pipe', 'inherit'] = ['pipe', 'pipe', 'inherit'];
  if (way === 'replaced') return spawn(process.execPath, [support('swapper.ts'), kind, path, target], { stdio });
  const link = join(base, 'link');
  rmSync(link, { recursive: true, force: true });
  symlinkSync(target, link);
  const count = String(swaps > 0 ? swaps : Number.MAX_SAFE_INTEGER);
  return spawn('python3', [support('exchanger.py'), path, link, target, count], { stdio });
}

export interface Fight {
  /** Calls that came through, and all. */
  readonly reached: number;
  readonly calls: number;
  readonly swaps: number;
}

export interface Rules {
  readonly way: Way;
  readonly kind: Kind;
  /** Milliseconds, where no number of exchanges is asked for. */
  readonly ms: number;
  /** Exchanges after which it ends instead; 0 for none. */
  readonly swaps: number;
  /** Ends it earlier. */
  readonly isOver?: () => boolean;
}

/** Runs `act` again and again, three at a time, against an attacker. `act` resolves to whether it came through. */
export async function underAttack(ground: Ground, rules: Rules, act: () => Promise<boolean>): Promise<Fight> {
  const { way, kind, ms, isOver = () => false } = rules;
  const swaps = way === 'exchanged' ? rules.swaps : 0;
  const attacker = startAttacker(ground, way, kind, swaps);
  let [printed, over, reached, calls] = ['', false, 0, 0];
  attacker.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = new Promise<void>((done) => attacker.once('close', () => done()));
  await Promise.race([once(attacker.stdout, 'data'), ended]);
  const lane = async (): Promise<void> => {
    while (!over && !isOver()) {
      calls += 1;
      if (await act()) reached += 1;
    }
  };
  const lanes = Promise.all([lane(), lane(), lane()]);
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<void>((done) => (timer = setTimeout(done, ms)));
  await Promise.race([lanes, swaps > 0 ? ended : time]);
  clearTimeout(timer);
  over = true;
  attacker.stdin.on('error', () => undefined).end();
  await Promise.all([lanes, ended]);
  return { reached, calls, swaps: Number(printed.trim().split('\n').at(-1)) };
}
