/**
 * One line per tool: what both sides and the configuration must agree on. The frontend lists tools in this order; the
 * configuration loader knows from here which tools exist, which restrictions each takes and how far its time limit may be raised.
 */

/** Restriction keys of a grant, besides `allowed`. */
export type RestrictionKey =
  | 'paths'
  | 'setid'
  | 'units'
  | 'actions'
  | 'signals'
  | 'owners'
  | 'devices'
  | 'sysctl'
  | 'users'
  | 'containers'
  | 'commands'
  | 'prune'
  | 'network';

/** `optional`: takes `privileged`. `always`: always root. `never`: never root. `own`: decides itself (cron/manage). */
export type Privilege = 'optional' | 'always' | 'never' | 'own';

export interface ToolFacts {
  readonly group: string;
  readonly verb: string;
  readonly hints: {
    readonly readOnly: boolean;
    readonly destructive: boolean;
    readonly idempotent: boolean;
    readonly openWorld: boolean;
  };
  readonly privilege: Privilege;
  readonly restrictions: readonly RestrictionKey[];
  /** Highest `timeout_seconds` that the configuration may give it. */
  readonly maxTimeoutSeconds: number;
  /** Takes `dry_run`. */
  readonly dryRun: boolean;
  /** The argument with which the caller sets the time limit in seconds, and what it is when absent; the general limit does not count. */
  readonly callerLimit?: { readonly argument: string; readonly seconds: number };
}

/** `hints` is readOnly/destructive/idempotent/openWorld as T or F. */
function tool(
  group: string,
  verb: string,
  hints: string,
  privilege: Privilege,
  restrictions: readonly RestrictionKey[],
  maxTimeoutSeconds: number,
  dryRun = false,
): ToolFacts {
  const [readOnly, destructive, idempotent, openWorld] = hints.split('/').map((hint) => hint === 'T') as [
    boolean,
    boolean,
    boolean,
    boolean,
  ];
  return {
    group,
    verb,
    hints: { readOnly, destructive, idempotent, openWorld },
    privilege,
    restrictions,
    maxTimeoutSeconds,
    dryRun,
  };
}

// prettier-ignore
export const TOOL_FACTS = {
  'files/list': tool('files', 'list', 'T/F/T/F', 'optional', ['paths'], 300),
  'files/read': tool('files', 'get', 'T/F/T/F', 'optional', ['paths'], 120),
  'files/create': tool('files', 'create', 'F/T/T/F', 'optional', ['paths'], 120, true),
  'files/update': tool('files', 'update', 'F/T/F/F', 'optional', ['paths'], 120, true),
  'files/find': tool('files', 'find', 'T/F/T/F', 'optional', ['paths'], 600),
  'files/filetype': tool('files', 'filetype', 'T/F/T/F', 'optional', ['paths'], 60),
  'files/chmod': tool('files', 'chmod', 'F/T/T/F', 'optional', ['paths', 'setid'], 600, true),
  'files/chown': tool('files', 'chown', 'F/T/T/F', 'optional', ['paths'], 600, true),
  'disks/free': tool('disks', 'free', 'T/F/T/F', 'optional', ['paths'], 60),
  'disks/usage': tool('disks', 'usage', 'T/F/T/F', 'optional', ['paths'], 600),
  'disks/list': tool('disks', 'get', 'T/F/T/F', 'optional', [], 60),
  'disks/mounts': tool('disks', 'mounts', 'T/F/T/F', 'optional', [], 60),
  'disks/performance': tool('disks', 'performance', 'T/F/T/F', 'never', [], 60),
  'disks/health': tool('disks', 'health', 'T/F/T/F', 'optional', ['devices'], 120),
  'disks/partitions': tool('disks', 'partitions', 'T/F/T/F', 'never', [], 60),
  'processes/list': tool('processes', 'get', 'T/F/T/F', 'optional', [], 60),
  'processes/top': tool('processes', 'top', 'T/F/T/F', 'optional', [], 60),
  'processes/delete': tool('processes', 'delete', 'F/T/F/F', 'optional', ['signals', 'owners'], 60, true),
  'network/nslookup': tool('network', 'nslookup', 'T/F/T/T', 'never', ['network'], 60),
  'network/curl': tool('network', 'curl', 'F/T/F/T', 'never', ['network'], 300),
  'network/arp': tool('network', 'arp', 'T/F/T/F', 'never', [], 60),
  'network/ping': tool('network', 'ping', 'T/F/T/T', 'never', ['network'], 60),
  'network/connections': tool('network', 'connections', 'T/F/T/F', 'optional', [], 60),
  'network/trace-path': tool('network', 'trace-path', 'T/F/T/T', 'never', ['network'], 300),
  'memory/usage': tool('memory', 'usage', 'T/F/T/F', 'never', [], 60),
  'services/manage': tool('system', 'service', 'F/T/F/F', 'optional', ['units', 'actions'], 600, true),
  'services/list': tool('system', 'services', 'T/F/T/F', 'optional', [], 60),
  'timers/list': tool('system', 'timers', 'T/F/T/F', 'optional', [], 60),
  'system/os-release': tool('system', 'os-release', 'T/F/T/F', 'never', [], 60),
  'system/packages': tool('system', 'packages', 'T/F/T/F', 'optional', [], 60),
  'users/list': tool('users', 'get', 'T/F/T/F', 'optional', [], 60),
  'auth/sudo-rules': tool('auth', 'sudo-rules', 'T/F/T/F', 'never', [], 60),
  'logs/journal-control': tool('logs', 'journal', 'T/F/T/F', 'optional', [], 300),
  'logs/dmesg': tool('logs', 'dmesg', 'T/F/T/F', 'optional', [], 60),
  'logs/logins': tool('logs', 'logins', 'T/F/T/F', 'optional', [], 120),
  'kernel/system-control': tool('kernel', 'sysctl', 'F/T/T/F', 'optional', ['sysctl'], 60, true),
  'cpu/list': tool('cpu', 'get', 'T/F/T/F', 'never', [], 60),
  'cpu/load-average': tool('cpu', 'load-average', 'T/F/T/F', 'never', [], 60),
  'docker/containers': tool('docker', 'get', 'T/F/T/F', 'always', [], 120),
  'docker/manage': tool('docker', 'container', 'F/T/F/F', 'always', ['containers'], 120, true),
  'docker/logs': tool('docker', 'logs', 'T/F/T/F', 'always', ['containers'], 120),
  'docker/exec': {
    ...tool('docker', 'exec', 'F/T/F/F', 'always', ['containers', 'commands'], 300, true),
    callerLimit: { argument: 'timeout', seconds: 30 },
  },
  'docker/images': tool('docker', 'images', 'T/F/T/F', 'always', [], 120),
  'docker/volumes': tool('docker', 'volumes', 'T/F/T/F', 'always', [], 120),
  'docker/networks': tool('docker', 'networks', 'T/F/T/F', 'always', [], 120),
  'docker/prune': tool('docker', 'prune', 'F/T/T/F', 'always', ['prune'], 600, true),
  'cron/manage': tool('cron', 'get', 'F/T/T/F', 'own', ['users'], 60, true),
  'daemon/reload-config': tool('daemon', 'reload', 'F/F/T/F', 'always', [], 60, true),
} as const satisfies Readonly<Record<string, ToolFacts>>;

export type ToolName = keyof typeof TOOL_FACTS;

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOL_FACTS, name);
}

/** Facts of a tool under its widest type. */
export function toolFacts(name: ToolName): ToolFacts {
  return TOOL_FACTS[name];
}

/** Schemes that a resource grant may name (`users.<U>.resources` of grants.yaml). */
export const RESOURCE_SCHEMES = [
  'file://',
  'service://',
  'process://',
  'docker-container://',
  'docker-image://',
  'docker-volume://',
  'docker-network://',
  'devices://dmi',
] as const;
export type ResourceScheme = (typeof RESOURCE_SCHEMES)[number];

/** Names under `tools` of a grant that are no tools: only `allowed`. */
export const EXTRA_GRANTS = ['audit/watch'] as const;
export type ExtraGrant = (typeof EXTRA_GRANTS)[number];
