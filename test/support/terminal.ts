/**
 * A real terminal for tests: script(1) gives the program a pseudo-terminal of its own, stty(1) changes the size of it. What is
 * typed goes through the line discipline of the kernel, Ctrl-C is a signal, and everything that would be on a screen is kept.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { eventually } from './pair.ts';

/** Milliseconds for whatever a test waits for; the machine may be busy. */
const PATIENCE_MS = 60_000;

export interface Terminal {
  /** Everything written to the terminal so far, echoes of typing among it. */
  output(): string;
  type(text: string): void;
  /** Waits until the output, from a place in it on, matches. Resolves to the place behind the match. */
  shows(expected: RegExp | string, from?: number): Promise<number>;
  resize(columns: number, rows: number): Promise<void>;
  /** Process ids on this terminal, those of script(1) and the shell around the program left out. */
  pids(): number[];
  /** Exit status of the program. */
  ended: Promise<number | null>;
  /** Ends whatever still runs. */
  close(): Promise<void>;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

function below(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...below(child)]);
}

/** Quotes a word for sh(1). */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

export interface TerminalOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
}

/** Starts a program on a terminal. */
export function openTerminal(command: readonly string[], options: TerminalOptions): Terminal {
  const { env, cwd = '/', columns = 80, rows = 24 } = options;
  const line = `stty cols ${columns} rows ${rows}; exec ${command.map(quoted).join(' ')}`;
  const child = spawn('/usr/bin/script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  child.stdin.on('error', () => undefined); // it may have ended already
  const ended = once(child, 'close').then(([status]) => status as number | null);
  const pids = (): number[] => below(child.pid ?? 0).filter((pid) => readdirSync(`/proc/${pid}`).length > 0);
  return {
    output: () => text,
    type: (typed) => child.stdin.write(typed),
    shows: async (expected, from = 0) => {
      const found = (): number | undefined => {
        const rest = text.slice(from);
        const match = typeof expected === 'string' ? rest.indexOf(expected) : rest.search(expected);
        if (match < 0) return undefined;
        return from + match + (typeof expected === 'string' ? expected.length : (expected.exec(rest)?.[0].length ?? 0));
      };
      return eventually(found, PATIENCE_MS).catch(() => {
        throw new Error(`the terminal never showed ${String(expected)} but: ${JSON.stringify(text.slice(from).slice(0, 2000))}`);
      });
    },
    resize: async (columns, rows) => {
      const pts = await eventually(() => {
        const [pid] = pids();
        const name = linkOf(`/proc/${pid ?? 0}/fd/0`);
        return name.startsWith('/dev/pts/') ? name : undefined;
      }, PATIENCE_MS);
      execFileSync('stty', ['-F', pts, 'cols', String(columns), 'rows', String(rows)]);
    },
    pids,
    ended,
    close: async () => {
      for (const pid of [...pids(), child.pid ?? 0]) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended.
        }
      }
      await ended;
    },
  };
}

/** A program's whole output on a terminal, and every control character in it that could drive one; progress lines are left out. */
export async function shownOnTerminal(
  command: readonly string[],
  options: TerminalOptions,
): Promise<{ readonly text: string; readonly controls: readonly string[] }> {
  const terminal = openTerminal(command, options);
  try {
    await terminal.ended;
    const text = terminal.output();
    /* eslint-disable no-control-regex -- control characters are what is looked for */
    const rest = text.replace(/\r\x1b\[J|\[[ =]+\][^\r\n]*/g, '');
    return { text, controls: rest.match(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g) ?? [] };
    /* eslint-enable no-control-regex */
  } finally {
    await terminal.close();
  }
}
