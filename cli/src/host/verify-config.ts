/**
 * stewardctl verify: who can read and change configuration, keys, state and log. Whoever can write the first two is root in effect.
 */
import { resolve } from 'node:path';
import { loadSnapshot } from '@steward/shared/config/load.ts';
import { keyFileOf } from '@steward/shared/config/tls.ts';
import { ConfigError, type ConfigSnapshot } from '@steward/shared/config/types.ts';
import { judgeEntry, type Entry, type Finding, type Installation } from './verify-finding.ts';

/** The units' own paths (systemd/tmpfiles.conf, steward-broker.socket). */
const STATE: readonly Entry[] = [
  { path: '/var/lib/steward', kind: 'directory', most: 0o700 },
  { path: '/run/steward', kind: 'directory', most: 0o755 },
  { path: '/run/steward/broker.sock', kind: 'socket', most: 0o660 },
];

/** The configuration as the daemon would load it, or the reason why not. */
export function loadOrReason(directory: string): ConfigSnapshot | string {
  try {
    return loadSnapshot(directory);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

/** Directory and files; the frontend's group may read daemon.yaml and nothing else. */
export function checkConfiguration(host: Installation, directory: string, config: ConfigSnapshot | string): Finding {
  const entries: Entry[] = [
    { path: directory, kind: 'directory', most: 0o750 },
    { path: resolve(directory, 'daemon.yaml'), kind: 'file', most: 0o640 },
    { path: resolve(directory, 'users.yaml'), kind: 'file', most: 0o600 },
    { path: resolve(directory, 'grants.yaml'), kind: 'file', most: 0o600 },
  ];
  const wrong = entries.flatMap((entry) => judgeEntry(host, entry));
  if (typeof config === 'string') wrong.push(config);
  return { holds: `${directory} loads, is root's, and closed to others`, wrong };
}

/** Key, state, log and socket. */
export function checkSecrets(host: Installation, config: ConfigSnapshot): Finding {
  const { server, audit } = config.daemon;
  const entries: Entry[] = [...STATE, { path: audit.directory, kind: 'directory', most: 0o700 }];
  if (server.tls.enabled) {
    entries.push({ path: keyFileOf(config), kind: 'file', most: 0o600 });
    entries.push({ path: resolve(config.directory, server.tls.cert_file), kind: 'file', most: 0o644 });
  }
  return {
    holds: "TLS key, state and audit log are root's alone; only the frontend's group reaches the broker's socket",
    wrong: entries.flatMap((entry) => judgeEntry(host, entry)),
  };
}
