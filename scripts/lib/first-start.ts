/**
 * Prepares `.run/` of a checkout: a configuration with one user, whose token is left in a file that only its owner can read.
 * Everything is made under a provisional name and put in place at once, so that an interrupted first start leaves nothing half.
 */
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** A state of `.run/` that this program does not touch; the message is one line for people. */
export class RunError extends Error {}

/** Name of the one user of a fresh checkout. */
export const FIRST_USER = 'admin';

/**
 * Makes `run` (absolute path) unless it is there. `shipped` is the path of the shipped daemon.yaml, `accountExists` says whether
 * the host has an account. Returns true when it was made. Throws RunError when it is there but not usable for this user.
 */
export function prepareRun(run: string, shipped: string, accountExists: (name: string) => boolean): boolean {
  const own = process.getuid?.() ?? 0;
  const owner = statSync(run, { throwIfNoEntry: false })?.uid;
  if (owner !== undefined && owner !== own) {
    throw new RunError(`${run} belongs to uid ${owner} and this is uid ${own}: run as that user, or remove it for a new start`);
  }
  if (existsSync(join(run, 'config/daemon.yaml'))) return false;
  if (owner !== undefined) throw new RunError(`${run} holds no config/daemon.yaml: remove it for a new start`);
  const draft = `${run}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  const directories = ['', 'config', 'tls', 'state', 'state/audit'];
  for (const name of directories) makeDirectory(join(draft, name), name === '' || name === 'tls' ? 0o755 : 0o700);
  const token = randomBytes(32).toString('hex');
  const account = own === 0 ? '' : userInfo().username;
  const frontendAccount = accountExists('steward') ? 'steward' : 'nobody';
  writeFileSync(join(draft, 'config/daemon.yaml'), daemonYaml(readFileSync(shipped, 'utf8'), run, frontendAccount), {
    mode: 0o640,
  });
  writeFileSync(join(draft, 'config/users.yaml'), usersYaml(token, account, new Date()), { mode: 0o600 });
  writeFileSync(join(draft, 'config/grants.yaml'), GRANTS_YAML, { mode: 0o600 });
  writeFileSync(join(draft, 'token'), `${token}\n`, { mode: 0o600 });
  renameSync(draft, run);
  return true;
}

/** The umask of whoever starts this must not decide about modes. */
function makeDirectory(path: string, mode: number): void {
  mkdirSync(path);
  chmodSync(path, mode);
}

/** The shipped daemon.yaml with what differs in a checkout; comments and all other lines stay. */
export function daemonYaml(shipped: string, run: string, frontendAccount: string): string {
  const changes: readonly (readonly [string, string])[] = [
    ['listen: ["0.0.0.0:9091", "[::]:9091"]', 'listen: ["127.0.0.1:9091"]'],
    ['cert_file: tls/steward.crt ', 'cert_file: ../tls/steward.crt '],
    ['key_file: tls/steward.key ', 'key_file: ../tls/steward.key '],
    ['frontend_account: steward ', `frontend_account: ${frontendAccount} `],
    ['directory: /var/log/steward/audit ', `directory: ${JSON.stringify(join(run, 'state/audit'))} `],
  ];
  return changes.reduce((text, [from, to]) => {
    if (text.split(from).length !== 2) throw new RunError(`packaging/daemon.yaml should hold ${JSON.stringify(from)} once`);
    return text.replace(from, () => to);
  }, shipped);
}

/** Of the token only a salted digest is kept: SHA-256 over the salt's bytes and the token's text. */
export function usersYaml(token: string, account: string, now: Date): string {
  const salt = randomBytes(16);
  const hash = createHash('sha256').update(salt).update(token).digest('hex');
  return `version: 1
users:
  - name: ${FIRST_USER}
    account: ${JSON.stringify(account)}   # OS account that this user stands for; "" for none
    tokens:
      - id: first
        salt: "${salt.toString('hex')}"
        hash: "${hash}"
        created_at: ${now.toISOString().replace(/\.\d+Z$/, 'Z')}
`;
}

const GRANTS_YAML = `version: 1
# What each user may do as root, tool by tool. Without an entry a call with privileged: true is refused.
users:
  ${FIRST_USER}:
    tools:
      daemon/reload-config: {allowed: true}
      files/list: {allowed: true, paths: [/var/log]}
      files/read: {allowed: true, paths: [/var/log]}
      # files/chown: {allowed: true, paths: [/srv]}
      # kernel/system-control: {allowed: true, sysctl: {write_keys: [vm.swappiness]}}
`;
