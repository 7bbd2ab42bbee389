/** Error texts of the files tools and file resources. Part of the registry in ../errors.ts. */
import type { ErrorEntry } from './entry.ts';

export const FILES = {
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
} as const satisfies Record<string, ErrorEntry>;
