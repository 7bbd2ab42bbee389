/**
 * The one registry of everything steward can answer instead of a result.
 *
 * A key names one text; its `code` is what programs look at (`_meta["steward/code"]`, audit records, exit codes). Only key
 * and parameters cross the broker's socket: texts are filled in where a person reads them, and no stack or cause ever leaves
 * the process it arose in.
 */
export const ERRORS = {
  // The call itself.
  unknown_tool: { code: 'UNKNOWN_TOOL', text: 'unknown tool: {name}' },
  arguments_not_object: { code: 'BAD_ARGS', text: 'arguments must be an object' },
  argument_reserved: { code: 'BAD_ARGS', text: 'unknown argument "{name}": names starting with _ are reserved' },
  argument_required: { code: 'BAD_ARGS', text: '{name} argument is required' },
  argument_type: { code: 'BAD_ARGS', text: '{name} must be {type}' },
  argument_enum: { code: 'BAD_ARGS', text: 'invalid {name} "{value}" ({allowed})' },
  argument_min: { code: 'BAD_ARGS', text: '{name} must be at least {min}' },
  argument_max: { code: 'BAD_ARGS', text: '{name} must be at most {max}' },
  argument_unknown: { code: 'BAD_ARGS', text: 'unknown argument "{name}"{hint}' },
  bad_args: { code: 'BAD_ARGS', text: 'invalid arguments for {op}: {reason}' },
  path_not_absolute: { code: 'BAD_ARGS', text: 'path must be absolute, got "{path}"' },
  path_invalid: { code: 'BAD_ARGS', text: 'invalid path "{path}"' },
  timeout: { code: 'TIMEOUT', text: 'timed out after {seconds} seconds - the call was stopped' },
  cancelled: { code: 'CANCELLED', text: 'the call was cancelled' },
  broker_unavailable: { code: 'BROKER_UNAVAILABLE', text: 'the privileged broker is not available' },
  internal: { code: 'INTERNAL', text: 'internal error (request {request})' },
  read_only: {
    code: 'READ_ONLY',
    text: '{tool} is not available: this daemon is read-only (catalogue.read_only in daemon.yaml)',
  },
  rate_limited: { code: 'BUSY', text: 'too many requests: user {user} may make {rate} per second - try again shortly' },
  too_many_waiting: {
    code: 'BUSY',
    text: 'too many calls are waiting in this session ({count}) - wait for answers first',
  },
  busy: { code: 'BUSY', text: 'too many privileged calls are running - try again shortly' },
  audit_unavailable: {
    code: 'AUDIT_UNAVAILABLE',
    text: 'refused: the audit log cannot be written ({reason}) - nothing was done',
  },
  no_session: { code: 'NO_SESSION', text: 'no session: authenticate again' },
  bad_token: { code: 'UNAUTHENTICATED', text: 'Unauthorized' },
  shutting_down: { code: 'SHUTTING_DOWN', text: 'the daemon is shutting down - the call was stopped' },

  // Grants and restrictions.
  not_granted: {
    code: 'NOT_GRANTED',
    text: 'Permission denied: user {user} is not authorized to use privileged: true for {tool} (no grant for it in grants.yaml)',
  },
  reload_not_granted: {
    code: 'NOT_GRANTED',
    text: 'user {user} is not authorized to run daemon/reload-config (grant it in grants.yaml)',
  },
  resource_not_granted: {
    code: 'NOT_GRANTED',
    text: 'user {user} is not authorized to read {uri} as root: resources: in grants.yaml',
  },
  resource_read_refused: {
    code: 'NOT_GRANTED',
    text: '{reason} (user {user} is not authorized to read {uri} as root: resources: in grants.yaml)',
  },
  path_restricted: { code: 'RESTRICTED', text: 'user {user} is not authorized to run {tool} on path {path} as root' },
  restriction_missing: {
    code: 'RESTRICTED',
    text: 'Permission denied: the {tool} grant of user {user} in grants.yaml has no {key}: list, so it permits nothing',
  },
  protected_object: { code: 'PROTECTED', text: 'refusing to touch a protected object: {path}' },
  symlink_refused: { code: 'REFUSED_SYMLINK', text: 'refusing to follow a symbolic link: {component} -> {target}' },
  not_regular: { code: 'NOT_REGULAR', text: 'not a regular file: {path}' },
  hard_link: {
    code: 'REFUSED_HARDLINK',
    text: 'refusing to change a hard-linked file while fs.protected_hardlinks is 0: {path}',
  },

  // Files.
  read_directory: { code: 'SYSTEM', text: 'failed to read directory: {path}: {reason}' },
  open_file: { code: 'SYSTEM', text: 'failed to open file: {path}: {reason}' },
  access_path: { code: 'SYSTEM', text: 'failed to access path {path}: {reason}' },
  binary_file: { code: 'BINARY', text: 'cannot read binary file (detected type: {mime})' },
  line_past_end: { code: 'BAD_ARGS', text: 'start_line {line} is past the end of the file ({lines} lines)' },
  line_too_long: { code: 'TOO_LARGE', text: 'line {line} is longer than 65536 bytes' },
  create_parents: { code: 'SYSTEM', text: 'failed to create parent directories: {path}: {reason}' },
  write_file: { code: 'SYSTEM', text: 'failed to write to file: {path}: {reason}' },
  write_file_mixed: {
    code: 'SYSTEM',
    text: 'failed to write to file: {path}: {reason} ({written} of {size} bytes written, the file now holds a mixture)',
  },
  sha256_malformed: { code: 'BAD_ARGS', text: '{name} must be 64 hexadecimal digits' },
  file_changed: {
    code: 'CONFLICT',
    text: 'the file changed since you read it (its sha256 is now {actual}, you passed {expected})',
  },
  update_selection: { code: 'BAD_ARGS', text: "must specify either 'append' or both 'start_line' and 'end_line'" },
  line_range: { code: 'BAD_ARGS', text: 'invalid line range: {start} to {end}' },
  find_type: { code: 'BAD_ARGS', text: 'invalid type "{value}" (use f, d, l, b, c, p, s)' },
  find_mtime: { code: 'BAD_ARGS', text: 'invalid mtime "{value}" (e.g. 7, +7, -1)' },
  find_size: { code: 'BAD_ARGS', text: 'invalid size "{value}" (e.g. +100M, -10k)' },
  mode_invalid: {
    code: 'BAD_ARGS',
    text: 'invalid mode "{value}": expected octal (0755) or symbolic ([ugoa][+-=][rwxXst])',
  },
  no_such_user: { code: 'NOT_FOUND', text: 'no such user: "{name}"' },
  no_such_group: { code: 'NOT_FOUND', text: 'no such user or group: "{name}"' },
  owner_invalid: { code: 'BAD_ARGS', text: 'invalid owner "{value}": expected user, user:group, :group or user:' },
  owner_needs_root: { code: 'NEEDS_ROOT', text: 'changing the owner needs privileged: true' },
  edit_too_large: { code: 'TOO_LARGE', text: '{path} is too large to be edited in place (over 64 MiB)' },
  setid_not_granted: {
    code: 'RESTRICTED',
    text: "not authorized to add setuid or setgid to {path}: this tool's grant in grants.yaml has no setid: true",
  },
  change_mode: { code: 'SYSTEM', text: 'failed to change mode: {path}: {reason}' },
  change_owner: { code: 'SYSTEM', text: 'failed to change owner: {path}: {reason}' },
  file_too_large: { code: 'TOO_LARGE', text: 'file is larger than 16 MiB - use files/read with offset and limit' },
  all_failed: { code: 'SYSTEM', text: '{report}' },

  // Disks.
  stat_filesystem: { code: 'SYSTEM', text: 'failed to stat filesystem: {path}: {reason}' },
  no_such_device: { code: 'NOT_FOUND', text: 'no such block device "{device}" (see disks/list for device names)' },
  device_name_invalid: {
    code: 'BAD_ARGS',
    text: 'invalid device name "{device}": expected a kernel name such as sda, not a path',
  },
  smartctl_missing: {
    code: 'TOOL_MISSING',
    text: 'smartctl is not installed on this host - install the smartmontools package',
  },
  smartctl_failed: { code: 'SYSTEM', text: 'smartctl failed: {reason}' },
  device_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to read device {device}: it is not in this tool's devices: list in grants.yaml",
  },
  no_partitions: {
    code: 'NOT_FOUND',
    text: 'no partitions found for device "{device}" (check disks/list for valid device names)',
  },

  // Processes.
  signal_invalid: { code: 'BAD_ARGS', text: 'invalid signal "{signal}" ({allowed})' },
  protected_process: { code: 'PROTECTED', text: 'refusing to signal protected PID {pid}' },
  no_such_process: { code: 'NOT_FOUND', text: 'no such process: {pid}' },
  signal_not_permitted: {
    code: 'NEEDS_ROOT',
    text: 'not permitted to signal process {pid} (owned by another user - retry with privileged: true if authorized)',
  },
  signal_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to send {signal}: it is not in this tool's signals: list in grants.yaml",
  },
  owner_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to signal process {pid}: its owner {owner} is not in this tool's owners: list in grants.yaml",
  },
  pid_invalid: { code: 'BAD_ARGS', text: 'invalid PID: {pid}' },
  process_uri_invalid: {
    code: 'BAD_ARGS',
    text: 'invalid process URI format, expected process://{pid}/{target}',
  },
  process_target: { code: 'BAD_ARGS', text: 'unsupported target: {target}' },
  read_target: { code: 'SYSTEM', text: 'failed to read {target}: {reason}' },

  // System and kernel.
  read_os_release: { code: 'SYSTEM', text: 'failed to read os-release: {reason}' },
  read_system: { code: 'SYSTEM', text: 'failed to read {path}: {reason}' },
  sysctl_key_required: { code: 'BAD_ARGS', text: 'key argument is required unless read_all is true' },
  sysctl_key_invalid: {
    code: 'BAD_ARGS',
    text: 'invalid key "{key}": expected a sysctl name like net.ipv4.ip_forward',
  },
  sysctl_value_invalid: { code: 'BAD_ARGS', text: 'invalid value: must be a single line' },
  sysctl_read: { code: 'SYSTEM', text: 'cannot read {key}: {reason}' },
  sysctl_stat: { code: 'SYSTEM', text: 'cannot stat {key}: {reason}' },
  sysctl_write: { code: 'SYSTEM', text: 'cannot write {key}: {reason}' },
  sysctl_restricted: {
    code: 'RESTRICTED',
    text: 'writing {key} is not permitted for this user (not in sysctl.write_keys in grants.yaml)',
  },
  sysctl_needs_grant: {
    code: 'NOT_GRANTED',
    text: 'Permission denied: writing {key} needs privileged: true and a kernel/system-control grant in grants.yaml',
  },

  // Services, timers, journal.
  unit_action: { code: 'BAD_ARGS', text: 'unsupported action: {action} (start, stop, restart, reload, enable, disable)' },
  unit_invalid: { code: 'BAD_ARGS', text: 'invalid unit name "{unit}"' },
  unit_job_refused: { code: 'SYSTEM', text: 'failed to initiate {action} job: {reason}' },
  unit_files: { code: 'SYSTEM', text: 'failed to {action} unit: {reason}' },
  systemd_unreachable: { code: 'SYSTEM', text: 'failed to reach systemd: {reason}' },
  unit_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to {action} {unit}: the unit is not in this tool's units: list in grants.yaml",
  },
  action_restricted: {
    code: 'RESTRICTED',
    text: "not authorized to {action} {unit}: the action is not in this tool's actions: list in grants.yaml",
  },
  own_unit: { code: 'PROTECTED', text: "refusing to control steward's own unit: {unit}" },
  unit_job_failed: { code: 'SYSTEM', text: '{job} completed with status: {status}{detail}' },
  service_not_found: { code: 'NOT_FOUND', text: 'service not found: {name}' },
  journal_argument: { code: 'BAD_ARGS', text: 'invalid {name} "{value}"' },
  journal_failed: { code: 'SYSTEM', text: 'journalctl error: {reason}, stderr: {stderr}' },

  // Crontabs.
  crontab_changed: {
    code: 'CONFLICT',
    text: 'the crontab changed since you read it (its sha256 is now {actual}, you passed {expected}) - read it again',
  },
  crontab_rejected: { code: 'BAD_ARGS', text: 'crontab rejected the file - the old crontab is unchanged: {reason}' },
  crontab_size: { code: 'TOO_LARGE', text: 'content is {size} bytes, the limit is 65536' },
  crontab_nul: { code: 'BAD_ARGS', text: 'content must not contain NUL bytes' },
  crontab_type: { code: 'BAD_ARGS', text: 'content must be a string (an empty string clears the crontab)' },
  account_invalid: { code: 'BAD_ARGS', text: 'invalid account name "{account}"' },
  account_unknown: { code: 'NOT_FOUND', text: 'no account named {account} on this host' },
  account_none: { code: 'NOT_FOUND', text: 'user {user} has no OS account on this host, so there is no own crontab' },
  crontab_needs_root: {
    code: 'RESTRICTED',
    text: "another account's crontab needs privileged: true and a rule for {account} in your cron/manage grant (users: {{account}: {view: true}})",
  },
  crontab_not_granted: {
    code: 'NOT_GRANTED',
    text: 'user {user} is not authorized to run cron/manage on another account: no cron/manage grant with allowed: true in grants.yaml',
  },
  crontab_list_not_granted: {
    code: 'NOT_GRANTED',
    text: 'user {user} is not authorized to list crontabs: no cron/manage grant with allowed: true in grants.yaml',
  },
  crontab_view_restricted: {
    code: 'RESTRICTED',
    text: "user {user} may not view {account}'s crontab: no rule for it in the cron/manage grant (users:)",
  },
  crontab_edit_restricted: {
    code: 'RESTRICTED',
    text: "user {user} may not edit {account}'s crontab: no rule for it in the cron/manage grant (users:)",
  },
  crontab_view_only: {
    code: 'RESTRICTED',
    text: "user {user} may not edit {account}'s crontab: the cron/manage grant gives {account} view only",
  },
  crontab_root: { code: 'PROTECTED', text: "root's crontab may be viewed but never edited through steward" },
  crontab_missing: { code: 'TOOL_MISSING', text: 'crontab not found on this host - install cron' },
  crontab_view: {
    code: 'BAD_ARGS',
    text: 'unsupported view "{view}": use crontab://<user>/text or crontab://<user>/info',
  },

  // Packages, kernel log, logins, hardware.
  packages_rpm: { code: 'TOOL_MISSING', text: 'rpm-based hosts are not supported by this tool' },
  packages_none: { code: 'TOOL_MISSING', text: 'no supported package database found (dpkg or apk)' },
  log_level_invalid: {
    code: 'BAD_ARGS',
    text: 'invalid level "{level}": expected comma-separated emerg, alert, crit, err, warn, notice, info, debug',
  },
  kernel_log: { code: 'SYSTEM', text: 'failed to read kernel log: /dev/kmsg: {reason}' },
  login_type_invalid: { code: 'BAD_ARGS', text: 'invalid type "{type}": must be "success" or "failed"' },
  login_user_invalid: { code: 'BAD_ARGS', text: 'invalid user "{user}"' },
  login_records: { code: 'SYSTEM', text: 'failed to read login records: {file}: {reason}' },
  dmi_unavailable: { code: 'NOT_FOUND', text: 'DMI data not available on this system\n' },

  // Network.
  network_denied: {
    code: 'RESTRICTED',
    text: "destination {host}{address} is blocked by this user's network policy ({list})",
  },
  network_private: {
    code: 'RESTRICTED',
    text: "destination {host}{address} is a private/internal address, blocked by this user's network policy (deny_private)",
  },
  host_invalid: { code: 'BAD_ARGS', text: 'invalid host "{host}"' },
  record_type_unsupported: {
    code: 'BAD_ARGS',
    text: 'unsupported record type "{type}" (A, AAAA, CNAME, TXT, MX, NS, ANY)',
  },
  host_not_found: { code: 'NOT_FOUND', text: '{host}: no such host' },
  lookup_timeout: { code: 'TIMEOUT', text: '{host}: lookup timed out' },
  lookup_failed: { code: 'SYSTEM', text: '{host}: lookup failed: {reason}' },
  url_invalid: { code: 'BAD_ARGS', text: 'invalid url "{url}": expected http:// or https://' },
  header_refused: { code: 'BAD_ARGS', text: 'header "{name}" is not allowed' },
  method_invalid: { code: 'BAD_ARGS', text: 'invalid method "{method}"' },
  http_failed: { code: 'SYSTEM', text: 'http request failed: {reason}' },
  connection_state: {
    code: 'BAD_ARGS',
    text: 'unknown connection state "{state}" (valid, case-insensitive: {valid})',
  },
  traceroute_missing: {
    code: 'TOOL_MISSING',
    text: 'traceroute is not installed on this host - install the traceroute package',
  },
  traceroute_failed: { code: 'SYSTEM', text: 'traceroute failed: {reason}' },
  interface_not_found: { code: 'NOT_FOUND', text: 'interface {name} not found' },

  // Configuration and resources.
  reload_failed: {
    code: 'CONFIG',
    text: 'config not reloaded, the current one stays in effect: {reason}',
  },
  unknown_resource: { code: 'UNKNOWN_RESOURCE', text: 'unknown resource: {uri}' },
  program_failed: { code: 'SYSTEM', text: '{program} failed: {reason}' },
  program_missing: { code: 'TOOL_MISSING', text: '{program} is not installed on this host' },
} as const satisfies Record<string, ErrorEntry>;

/** One entry: `code` for programs, `text` for people with `{name}` places for parameters. */
export interface ErrorEntry {
  readonly code: string;
  readonly text: string;
}

export type ErrorKey = keyof typeof ERRORS;
export type ErrorParams = Readonly<Record<string, string | number>>;

/** How an error crosses the broker's socket: key and parameters, never a text, stack or cause. */
export interface WireError {
  readonly key: ErrorKey;
  readonly params: ErrorParams;
}

/** Fills the places of a registry text. A parameter that is missing shows as its name in braces. */
export function errorText(key: ErrorKey, params: ErrorParams = {}): string {
  return ERRORS[key].text.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(params, name) ? String(params[name]) : place,
  );
}

export function isErrorKey(key: unknown): key is ErrorKey {
  return typeof key === 'string' && Object.hasOwn(ERRORS, key);
}

/** The only error that operations and policy throw on purpose; anything else is a defect and is answered as `internal`. */
export class StewardError extends Error {
  readonly key: ErrorKey;
  readonly params: ErrorParams;

  constructor(key: ErrorKey, params: ErrorParams = {}, options?: ErrorOptions) {
    super(errorText(key, params), options);
    this.name = 'StewardError';
    this.key = key;
    this.params = params;
  }

  /** What programs look at, for instance `NOT_GRANTED`. */
  get code(): string {
    return ERRORS[this.key].code;
  }

  toWire(): WireError {
    return { key: this.key, params: this.params };
  }
}

/** errno names and the C library's words for them (glibc `strerror`, lower case). */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EISDIR: 'is a directory',
  EEXIST: 'file exists',
  ENOSPC: 'no space left on device',
  EROFS: 'read-only file system',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  EBUSY: 'device or resource busy',
  EINVAL: 'invalid argument',
  EIO: 'input/output error',
};

/** The errno name of a system error (`'ENOENT'`), or undefined for anything else. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** The reason part of `<prefix>: <path>: <reason>`; an errno without a word of its own is named by its errno name. */
export function reasonOf(error: unknown): string {
  const errno = errnoOf(error);
  if (errno === undefined) return 'unexpected error';
  return REASONS[errno] ?? errno;
}

/** Rethrows a system error under a registry key with its reason; a StewardError passes unchanged. */
export function systemError(key: ErrorKey, params: ErrorParams, error: unknown): StewardError {
  if (error instanceof StewardError) return error;
  if (errnoOf(error) === undefined) throw error;
  return new StewardError(key, { ...params, reason: reasonOf(error), errno: errnoOf(error) ?? '' }, { cause: error });
}
