/**
 * Runs the real launcher over stand-ins for the programs it starts: small scripts that say on standard output what they were
 * given. So it can be shown what the launcher hands to whom, and what it does when its children misbehave.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programsFor } from '../programs.ts';

/** What every stand-in begins with. */
const PRELUDE = `import { readFileSync, readdirSync, readlinkSync, fstatSync, writeSync, statSync } from 'node:fs';
import { connect, Socket } from 'node:net';
const status = Object.fromEntries(readFileSync('/proc/self/status', 'utf8').split('\\n').map((line) => line.split(':\\t')));
const say = (what, more = {}) => writeSync(1, JSON.stringify({ what, pid: process.pid, ...more }) + '\\n');
const about = () => ({ uid: process.getuid(), gid: process.getgid(), groups: status['Groups']?.trim(), capEff: status['CapEff'],
  capBnd: status['CapBnd'], noNewPrivs: status['NoNewPrivs'], env: { ...process.env }, argv: process.argv.slice(2), flags: process.execArgv, cwd: process.cwd() });
`;

/** A frontend that connects, reports what the broker says and connects again when the broker is gone. */
export const FRONTEND = `${PRELUDE}
const socket = process.argv[process.argv.indexOf('--socket') + 1];
say('frontend', about());
const open = () => connect(socket).on('data', (text) => say('heard', { text: String(text) })).on('error', () => {}).on('close', () => setTimeout(open, 20));
open();
process.on('SIGHUP', () => say('hup'));
process.on('SIGTERM', () => process.exit(0));
process.stdin.resume().on('end', () => { say('stdin ended'); process.exit(0); });
`;

/** A broker that greets on its connection and leaves when that ends. */
export const BROKER = `${PRELUDE}
say('broker', { ...about(), input: readlinkSync('/proc/self/fd/0') });
const connection = new Socket({ fd: 0, readable: true, writable: true });
connection.write('hello from ' + process.pid);
connection.resume().on('end', () => process.exit(0));
`;

export { PRELUDE };

export interface Said {
  readonly what: string;
  readonly pid: number;
  readonly [key: string]: unknown;
}

export interface StandIns {
  readonly frontend?: string;
  readonly broker?: string;
  readonly certs?: string;
  /** Run the launcher as this uid (root only). */
  readonly asUid?: number;
  readonly extra?: readonly string[];
  /** A file that the launcher finds open as a descriptor of its own. */
  readonly inherit?: string;
}

/** A running launcher over stand-ins. */
export class StandInPair {
  readonly directory: string;
  readonly process: ChildProcess;
  readonly exited: Promise<number | null>;
  errors = '';
  #text = '';

  constructor(scripts: StandIns) {
    this.directory = mkdtempSync(join(tmpdir(), 'steward-launcher-'));
    for (const name of ['dist', 'config', 'state']) mkdirSync(join(this.directory, name));
    const files = { frontend: FRONTEND, broker: BROKER, certs: '', ...scripts, 'frontend-worker': '' };
    for (const name of ['frontend', 'broker', 'certs', 'frontend-worker'] as const) {
      writeFileSync(join(this.directory, 'dist', `${name}.js`), files[name] ?? '', { mode: 0o644 });
    }
    writeFileSync(join(this.directory, 'dist/package.json'), '{"type":"module"}');
    const ids = scripts.asUid === undefined ? {} : { uid: scripts.asUid, gid: scripts.asUid };
    for (const name of ['', 'dist', 'config', 'state']) {
      // The directory above stays closed to others: as root nothing of the checkout can be reached by its path.
      if (scripts.asUid !== undefined) chownSync(join(this.directory, name), scripts.asUid, scripts.asUid);
      chmodSync(join(this.directory, name), name === '' ? 0o700 : 0o755);
    }
    const directories = ['--config-dir', join(this.directory, 'config'), '--state-dir', join(this.directory, 'state')];
    const { node, dist } = programsFor(scripts.asUid);
    const launcher = [node, join(dist, 'launcher.js'), ...directories, '--dist', join(this.directory, 'dist')];
    // Node closes low descriptors by itself; a high one is what a shell leaves open.
    const opening = scripts.inherit === undefined ? 'exec "$@"' : `exec 250<${scripts.inherit}; exec "$@"`;
    const command = ['-c', opening, 'bash', ...launcher, ...(scripts.extra ?? [])];
    this.process = spawn('/bin/bash', command, { stdio: ['ignore', 'pipe', 'pipe'], ...ids });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#text += text));
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    this.exited = once(this.process, 'exit').then(([code]) => code as number | null);
  }

  /** Everything the stand-ins said so far, of one kind. */
  said(what: string): Said[] {
    const lines = this.#text.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Said).filter((said) => said.what === what);
  }

  /** Waits for the n-th (from 1) saying of a kind. */
  async heard(what: string, count = 1): Promise<Said> {
    for (let tries = 0; tries < 500; tries += 1) {
      const found = this.said(what)[count - 1];
      if (found !== undefined) return found;
      await sleep(20);
    }
    throw new Error(`never heard "${what}" ${count} times:\n${this.#text}${this.errors}`);
  }

  /** Ends the launcher if it still runs and removes its directory. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGTERM');
      await this.exited;
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}
