/**
 * Reads a kernel parameter or a subtree of them, or writes one. As root a write is permitted by the caller's list of keys before
 * this runs; unprivileged it is refused here, because the answer of the kernel would name no way out.
 */
import { stat } from 'node:fs/promises';
import { checkAbort } from '../../abort.ts';
import { StewardError, systemError } from '../../errors.ts';
import { parameterFile, readParameter, sysctlKey, walkSysctl, writeParameter, type SysctlKey } from '../../host/sysctl.ts';
import type { Static } from '../../schema.ts';
import { operation, type OpContext } from '../operation.ts';

const MAX_VALUE_BYTES = 4096;
/** Of the text that the records become, in bytes. */
export const SYSCTL_MAX_OUTPUT = 4 * 1024 * 1024;

const args = {
  type: 'object',
  properties: {
    key: { type: 'string', description: 'net.ipv4.ip_forward or with /' },
    value: { type: 'string', description: 'single line; absent or empty = read' },
    read_all: { type: 'boolean', description: 'everything; only without key' },
    dry_run: { type: 'boolean' },
  },
  required: [],
  additionalProperties: false,
} as const;
type Args = Static<typeof args>;

const record = {
  type: 'object',
  properties: { key: { type: 'string' }, value: { type: 'string' } },
  required: ['key', 'value'],
  additionalProperties: false,
} as const;
/** One parameter with its value, without the final newline. */
export type SysctlRecord = Static<typeof record>;

const result = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['read', 'write', 'dry_run'] },
    key: { type: 'string' },
    /** Value before the write, null when it cannot be read. */
    previous: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    unreadable: { type: 'integer' },
    truncated: { type: 'boolean' },
  },
  required: ['action', 'key', 'previous', 'unreadable', 'truncated'],
  additionalProperties: false,
} as const;
export type SysctlResult = Static<typeof result>;
type Context = OpContext<SysctlRecord>;

export const kernelSystemControl = operation<Args, SysctlResult, SysctlRecord>({
  name: 'kernel/system-control',
  args,
  kind: 'records',
  result,
  record,
  where: 'loop',
  async run({ key, value, read_all, dry_run }, context) {
    const writes = value !== undefined && value !== '';
    if (key === undefined || key === '') {
      if (writes || read_all !== true) throw new StewardError('sysctl_key_required');
      return readTree(context, { dotted: '', path: '' });
    }
    const parameter = sysctlKey(key);
    if (writes) return write(context, parameter, value, dry_run === true);
    if (await isDirectory(context, parameter)) return readTree(context, parameter);
    await context.emit({ key: parameter.dotted, value: await readOne(context, parameter) });
    return { action: 'read', key: parameter.dotted, previous: null, unreadable: 0, truncated: false };
  },
});

async function isDirectory(context: Context, key: SysctlKey): Promise<boolean> {
  try {
    return (await stat(parameterFile(context.root, key))).isDirectory();
  } catch (error) {
    throw systemError('sysctl_stat', { key: key.dotted }, error);
  }
}

async function readOne(context: Context, key: SysctlKey): Promise<string> {
  try {
    return await readParameter(context.root, key);
  } catch (error) {
    throw systemError('sysctl_read', { key: key.dotted }, error);
  }
}

function readIfPossible(context: Context, key: SysctlKey): Promise<string | null> {
  return readParameter(context.root, key).catch(() => null);
}

async function readTree(context: Context, start: SysctlKey): Promise<SysctlResult> {
  let unreadable = 0;
  let room = SYSCTL_MAX_OUTPUT;
  for await (const entry of walkSysctl(context.root, start.path)) {
    checkAbort(context.signal);
    const value = entry.directory ? null : await readIfPossible(context, entry);
    if (value === null) {
      unreadable += 1;
      continue;
    }
    room -= sizeAsText(entry.dotted, value);
    if (room < 0) return { action: 'read', key: start.dotted, previous: null, unreadable, truncated: true };
    await context.emit({ key: entry.dotted, value });
  }
  return { action: 'read', key: start.dotted, previous: null, unreadable, truncated: false };
}

/** Bytes of `key = line` for every line of the value. */
function sizeAsText(key: string, value: string): number {
  const lines = value.split('\n').length;
  return lines * (Buffer.byteLength(key) + ' = '.length) + Buffer.byteLength(value) + 1;
}

async function write(context: Context, key: SysctlKey, value: string, dryRun: boolean): Promise<SysctlResult> {
  if (/[\n\r\0]/.test(value) || Buffer.byteLength(value) > MAX_VALUE_BYTES) throw new StewardError('sysctl_value_invalid');
  if (!context.privileged) throw new StewardError('sysctl_needs_grant', { key: key.dotted });
  await isDirectory(context, key); // names a key that does not exist as such; a directory fails to open for writing
  const previous = await readIfPossible(context, key);
  try {
    await writeParameter(context.root, key, dryRun ? undefined : { value, begin: () => context.begin() });
  } catch (error) {
    throw systemError('sysctl_write', { key: key.dotted }, error);
  }
  const held = dryRun ? value : await readIfPossible(context, key);
  if (held !== null) await context.emit({ key: key.dotted, value: held });
  const unreadable = held === null ? 1 : 0;
  return { action: dryRun ? 'dry_run' : 'write', key: key.dotted, previous, unreadable, truncated: false };
}
