/**
 * Where `stewardctl verify` lets a broker be attacked: a directory that only its owner can enter, with a configuration, state and audit
 * log (chained, not sealed) of its own, two users whose tokens nobody else knows, and files to be attacked. Removed afterwards.
 */
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeToken } from '@steward/shared/config/token.ts';
import type { AttackedPaths } from './verify-attacks-list.ts';
import { INSTALLED } from '../context/config-dir.ts';

const CONTENT = 'canary\n';

export interface Scratch {
  readonly base: string;
  readonly configDir: string;
  readonly stateDir: string;
  readonly auditDir: string;
  readonly paths: AttackedPaths;
  readonly tokens: Readonly<Record<'narrow' | 'wide', string>>;
  /** False when a file outside of the granted tree is not as it was made. */
  untouched(): boolean;
  remove(): void;
}

/** Makes it. `account`: of the frontend; the broker compares its peer with it. `grants`: the text of grants.yaml. */
export function makeScratch(account: string, grants: (paths: AttackedPaths) => string): Scratch {
  // mkdtemp(3) gives mode 0700. Real path: a link above it would be refused in every call.
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'steward-attacks-')));
  const remove = (): void => rmSync(base, { recursive: true, force: true });
  try {
    return { ...fill(base, account, grants), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function fill(base: string, account: string, grants: (paths: AttackedPaths) => string): Omit<Scratch, 'remove'> {
  const directory = (name: string): string => {
    mkdirSync(join(base, name), { mode: 0o700 });
    return join(base, name);
  };
  const [configDir, stateDir, auditDir] = [directory('config'), directory('state'), directory('audit')];
  const [tree, near, outside] = [directory('tree'), directory('tree-beside'), directory('outside')];
  const paths: AttackedPaths = {
    tree,
    note: join(tree, 'note'),
    beside: join(near, 'canary'),
    canary: join(outside, 'canary'),
    link: join(tree, 'link'),
    throughLink: join(tree, 'directory', 'canary'),
    hardLink: join(tree, 'hard'),
    secrets: [join(configDir, 'grants.yaml'), ...[join(INSTALLED, 'grants.yaml')].filter((path) => existsSync(path))],
  };
  for (const path of [paths.note, paths.beside, paths.canary]) writeFileSync(path, CONTENT, { mode: 0o600 });
  symlinkSync(paths.canary, paths.link);
  symlinkSync(outside, join(tree, 'directory'));
  preventSeals(stateDir);
  const tokens = writeConfiguration({ configDir, auditDir, base }, account, grants(paths));
  linkSync(join(configDir, 'users.yaml'), paths.hardLink);
  const untouched = (): boolean => [paths.beside, paths.canary].every(isUntouched);
  return { base, configDir, stateDir, auditDir, paths, tokens, untouched };
}

/**
 * Seals are announced to the journal, where an auditor would take those of this log for the host's own. A file where the directory of
 * their keys should be leaves the log chained, but not sealed.
 */
function preventSeals(stateDir: string): void {
  writeFileSync(join(stateDir, 'audit-seal'), '');
}

function isUntouched(path: string): boolean {
  const { mode } = lstatSync(path);
  return (mode & 0o7777) === 0o600 && readFileSync(path, 'utf8') === CONTENT;
}

/** JSON is YAML. */
function writeConfiguration(
  { configDir, auditDir, base }: Pick<Scratch, 'configDir' | 'auditDir' | 'base'>,
  account: string,
  grants: string,
): Scratch['tokens'] {
  const [narrow, wide] = [makeToken('verify'), makeToken('verify')];
  const daemon = {
    version: 1,
    server: { listen: ['127.0.0.1:9091'], tls: { enabled: false } }, // the broker listens nowhere, but wants a valid file
    broker: { frontend_account: account, engine_socket: join(base, 'no-engine') },
    audit: { directory: auditDir },
  };
  const users = [
    { name: 'narrow', tokens: [narrow.entry] },
    { name: 'wide', tokens: [wide.entry] },
  ];
  const put = (name: string, text: string): void => writeFileSync(join(configDir, name), text, { mode: 0o600 });
  put('daemon.yaml', JSON.stringify(daemon));
  put('users.yaml', JSON.stringify({ version: 1, users }));
  put('grants.yaml', grants);
  return { narrow: narrow.token, wide: wide.token };
}
