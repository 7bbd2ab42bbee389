/** Runs command lines in tests: gives `run` an environment of its own and keeps what it prints. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { run } from '../run.ts';
import { TOKEN, type Double } from './double.ts';

export interface Ran {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export interface Setting {
  readonly input?: string;
  /** Standard streams are terminals. */
  readonly terminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly cwd?: string;
  readonly token?: string;
}

export async function runLine(argv: readonly string[], setting: Setting = {}): Promise<Ran> {
  const stdin = Object.assign(new PassThrough(), { isTTY: setting.terminal === true });
  stdin.end(setting.input ?? '');
  let out = '';
  let err = '';
  const isTTY = setting.terminal === true;
  const exit = await run(argv, {
    stdin,
    stdout: { write: (text) => (out += text), isTTY, columns: 80 },
    stderr: { write: (text) => (err += text), isTTY },
    env: { HOME: '/nonexistent', ...setting.env },
    cwd: setting.cwd ?? '/nonexistent',
    program: '/nonexistent/stewardctl',
    signal: setting.signal ?? new AbortController().signal,
  });
  return { exit, out, err };
}

/** Runs a line against a stand-in, with its certificate and the right token unless the setting says otherwise. */
export async function runAgainst(double: Double, argv: readonly string[], setting: Setting = {}): Promise<Ran> {
  const directory = mkdtempSync(join(tmpdir(), 'stewardctl-'));
  try {
    const ca = join(directory, 'ca.pem');
    writeFileSync(ca, double.certificate);
    const env = { STEWARD_SERVER: double.url, STEWARD_CA: ca, STEWARD_TOKEN: setting.token ?? TOKEN, ...setting.env };
    return await runLine(argv, { ...setting, env });
  } finally {
    rmSync(directory, { recursive: true });
  }
}
