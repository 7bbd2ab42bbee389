/**
 * stewardctl for tests of the whole: a directory that is the home of a user, with the program in PATH, tokens and certificate of a
 * pair, and contexts.
 */
import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST } from './pair.ts';

export interface Ran {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** What a client has to know of a pair. */
export interface Reachable {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  token(user: string): string;
}

export interface Home {
  readonly directory: string;
  /** Finds `stewardctl`, and the user's own configuration. */
  readonly env: Readonly<Record<string, string>>;
  /** Writes the file of contexts: by name the pair and the user; the first is the current one. */
  contexts(entries: Readonly<Record<string, { readonly pair: Reachable; readonly user: string }>>): void;
  /** Runs the program to its end. */
  run(
    words: readonly string[],
    setting?: { readonly input?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<Ran>;
  remove(): void;
}

export function makeHome(): Home {
  const directory = mkdtempSync(join(tmpdir(), 'stewardctl-home-'));
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'stewardctl'), `#!/bin/sh\nexec '${process.execPath}' '${join(DIST, 'stewardctl.js')}' "$@"\n`);
  chmodSync(join(bin, 'stewardctl'), 0o755);
  const env = { HOME: directory, PATH: `${bin}:${process.env['PATH'] ?? ''}`, LANG: 'C.UTF-8' };
  return {
    directory,
    env,
    contexts: (entries) => {
      const config = join(directory, '.config/steward');
      mkdirSync(config, { recursive: true });
      const lines = Object.entries(entries).map(([name, { pair, user }]) => {
        writeFileSync(join(config, `${name}.token`), pair.token(user), { mode: 0o600 });
        const { fingerprint256 } = new X509Certificate(pair.ca);
        return `  ${name}: {server: "${pair.url}", fingerprint: "${fingerprint256}", token_file: ${name}.token}\n`;
      });
      const text = `current: ${Object.keys(entries)[0] ?? ''}\ncontexts:\n${lines.join('')}`;
      writeFileSync(join(config, 'config.yaml'), text, { mode: 0o600 });
    },
    run: async (words, setting = {}) => {
      const child = spawn('stewardctl', words, { env: { ...env, ...setting.env }, cwd: directory });
      let [out, err] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
      child.stdin.on('error', () => undefined).end(setting.input ?? '');
      const exit = await new Promise<number | null>((done) => child.once('close', done));
      return { exit, out, err };
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}
