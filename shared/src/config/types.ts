/**
 * The configuration as both processes use it, after the strict loader has checked it. Frozen: one call sees one configuration
 * from its first check to its end. The broker alone ever holds users and grants.
 */
import type { ResourceScheme, ToolName } from '../catalogue/facts.ts';

/** daemon.yaml with every default filled in. Durations in seconds, sizes in bytes. */
export interface DaemonConfig {
  readonly version: 1;
  readonly server: {
    readonly listen: readonly string[];
    readonly allowed_origins: readonly string[];
    readonly sse_keepalive_seconds: number;
    readonly tls: {
      readonly enabled: boolean;
      readonly cert_file: string;
      readonly key_file: string;
      readonly generate: boolean;
      readonly hosts: readonly string[];
      readonly min_version: '1.2' | '1.3';
    };
  };
  readonly broker: { readonly engine_socket: string; readonly frontend_account: string };
  readonly audit: {
    readonly directory: string;
    readonly segment_bytes: number;
    readonly keep_days: number;
    readonly reads: boolean;
    readonly seal_seconds: number;
  };
  readonly logging: {
    readonly level: 'error' | 'warn' | 'info' | 'debug';
    readonly format: 'text' | 'json';
    readonly access_log: boolean;
  };
  readonly limits: {
    readonly timeout_seconds: number;
    readonly max_body_bytes: number;
    readonly max_sessions: number;
    readonly max_sessions_per_user: number;
    readonly session_idle_seconds: number;
    readonly max_calls_per_session: number;
    readonly requests_per_second: number;
    readonly burst: number;
    readonly auth_failures_per_minute: number;
  };
  readonly catalogue: {
    readonly show: 'all' | 'authorized';
    readonly names: 'slash' | 'underscore';
    readonly read_only: boolean;
  };
  readonly metrics: { readonly listen: string };
  readonly network: NetworkPolicy;
  /** Time limits of single tools. */
  readonly tools: Readonly<Partial<Record<ToolName, { readonly timeout_seconds: number }>>>;
}

export interface NetworkPolicy {
  readonly deny_private: boolean;
  /** Absent: no allow list. Empty: permits nothing. */
  readonly allow?: readonly string[];
  readonly deny: readonly string[];
}

export interface TokenEntry {
  readonly id: string;
  /** 16 bytes, hex. */
  readonly salt: string;
  /** SHA-256 of salt bytes followed by the token text, hex. */
  readonly hash: string;
  readonly created_at?: string;
  /** RFC 3339. */
  readonly not_after?: string;
  readonly cidrs?: readonly string[];
}

export interface UserEntry {
  readonly name: string;
  /** OS account; default the name, empty for none. */
  readonly account: string;
  readonly account_uid?: number;
  readonly not_after?: string;
  readonly cidrs?: readonly string[];
  readonly tokens: readonly TokenEntry[];
}

/** One grant as written: a key that is absent is undefined, never an empty list. */
export interface Grant {
  readonly allowed: boolean;
  readonly paths?: readonly string[];
  readonly setid?: boolean;
  readonly units?: readonly string[];
  readonly actions?: readonly string[];
  readonly signals?: readonly string[];
  readonly owners?: readonly string[];
  readonly devices?: readonly string[];
  readonly sysctl?: { readonly write_keys: readonly string[] };
  readonly users?: Readonly<Record<string, { readonly view: boolean; readonly edit: boolean }>>;
  readonly containers?: readonly string[];
  readonly commands?: readonly (readonly string[])[];
  readonly prune?: readonly string[];
  readonly network?: NetworkPolicy;
  /** Line of the grant in grants.yaml, for the audit record's rule and `grants explain`. */
  readonly line: number;
}

/** Everything one user is granted. */
export interface UserGrants {
  readonly tools: Readonly<Record<string, Grant>>;
  readonly resources: Readonly<Partial<Record<ResourceScheme, readonly string[]>>>;
}

export const NO_GRANTS: UserGrants = Object.freeze({ tools: Object.freeze({}), resources: Object.freeze({}) });

/** What the broker works with: all three files in force at one moment. */
export interface ConfigSnapshot {
  readonly daemon: DaemonConfig;
  readonly users: readonly UserEntry[];
  readonly grants: Readonly<Record<string, UserGrants>>;
  /** Text of daemon.yaml, handed to the frontend. */
  readonly daemonText: string;
  /** SHA-256 of grants.yaml as read, lower-case hex: the policy digest of audit records. */
  readonly grantsDigest: string;
  /** Absolute paths of the three files, in the order daemon, users, grants. */
  readonly files: readonly [string, string, string];
  /** Directory that the files are in. */
  readonly directory: string;
  readonly warnings: readonly string[];
}

/** A configuration that cannot be used: `<file>:<line>: <reason>`, full path. */
export class ConfigError extends Error {
  readonly file: string;
  readonly line: number;
  readonly reason: string;

  constructor(file: string, line: number, reason: string) {
    super(`${file}:${line}: ${reason}`);
    this.name = 'ConfigError';
    this.file = file;
    this.line = line;
    this.reason = reason;
  }
}
