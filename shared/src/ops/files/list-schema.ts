/** Arguments and results of files/list, as data. */

export const listArgs = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'absolute directory' },
    all: { type: 'boolean', description: 'dotfiles, . and ..' },
    long: { type: 'boolean', default: true, description: 'false: names only' },
    sort: {
      type: 'string',
      enum: ['name', 'size', 'time'],
      default: 'name',
      description: 'size, time: largest, newest first',
    },
    reverse: { type: 'boolean' },
    dirs_first: { type: 'boolean' },
    numeric_ids: { type: 'boolean' },
  },
  required: ['path'],
  additionalProperties: false,
} as const;

export const listRecord = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    /** `?`: the entry cannot be examined. */
    type: { type: 'string', enum: ['file', 'dir', 'symlink', 'char', 'block', 'fifo', 'socket', '?'] },
    mode: { type: 'string' },
    mode_octal: { type: 'string' },
    links: { type: 'integer' },
    owner: { type: 'string' },
    group: { type: 'string' },
    uid: { type: 'integer' },
    gid: { type: 'integer' },
    size: { type: 'integer' },
    modified: { type: 'string' },
    is_dir: { type: 'boolean' },
    /** Of a symbolic link, else empty. */
    target: { type: 'string' },
    /** `major, minor` of a device node. */
    device: { type: 'string' },
    path_base64: { type: 'string' },
  },
  required: [
    'name',
    'type',
    'mode',
    'mode_octal',
    'links',
    'owner',
    'group',
    'uid',
    'gid',
    'size',
    'modified',
    'is_dir',
    'target',
  ],
  additionalProperties: false,
} as const;

export const listResult = {
  type: 'object',
  properties: {
    /** Disk space of the entries shown, in KiB. */
    blocks_kib: { type: 'integer' },
  },
  required: ['blocks_kib'],
  additionalProperties: false,
} as const;
