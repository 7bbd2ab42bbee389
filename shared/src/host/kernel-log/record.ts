/** One record of the kernel's log as /dev/kmsg gives it (Documentation/ABI/testing/dev-kmsg of the kernel). Pure functions. */

/** Names of syslog(3) by their numbers. */
export const LEVELS = ['emerg', 'alert', 'crit', 'err', 'warn', 'notice', 'info', 'debug'] as const;
const FACILITIES = [
  ...[
    'kern',
    'user',
    'mail',
    'daemon',
    'auth',
    'syslog',
    'lpr',
    'news',
    'uucp',
    'cron',
    'authpriv',
    'ftp',
    '12',
    '13',
    '14',
    '15',
  ],
  ...['local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'],
];

export type Level = (typeof LEVELS)[number];

export interface KernelLogRecord {
  readonly seq: number;
  /** Since boot, to the microsecond. */
  readonly seconds: number;
  readonly level: Level;
  readonly facility: string;
  /** May hold newlines and tabs; other control characters stay as the kernel escapes them, `\xNN`. */
  readonly message: string;
}

/** Reads `level,seq,stamp,flags;message` and leaves the lines of properties below it out; undefined for anything else. */
export function parseKernelLogRecord(text: string): KernelLogRecord | undefined {
  const [, head = '', body = ''] = /^(\d+,\d+,\d+)[^;\n]*;([^\n]*)/.exec(text) ?? [];
  const [priority, seq, stamp] = head.split(',').map(Number);
  if (priority === undefined || seq === undefined || stamp === undefined) return undefined;
  return {
    seq,
    seconds: stamp / 1e6,
    level: LEVELS[priority & 7] ?? 'debug',
    facility: FACILITIES[priority >> 3] ?? String(priority >> 3),
    message: unescaped(body),
  };
}

/** The kernel writes everything but printable ASCII as `\xNN`, byte by byte, and the backslash too. */
function unescaped(message: string): string {
  const bytes = message.replace(/\\x([0-9a-f]{2})/g, (escape, digits: string) => {
    const byte = Number.parseInt(digits, 16);
    const isShown = byte >= 0x80 || byte === 0x5c || byte === 0x0a || byte === 0x09;
    return isShown ? String.fromCharCode(byte) : escape;
  });
  // C1 control characters can be made of such bytes: they go back to the kernel's way of writing.
  return Buffer.from(bytes, 'latin1')
    .toString('utf8')
    .replace(/[\u0080-\u009f]/g, (control) => `\\x${control.charCodeAt(0).toString(16)}`);
}

/** The record as people read it: `[   12.345678] message`. */
export function kernelLogText({ seconds, message }: Pick<KernelLogRecord, 'seconds' | 'message'>): string {
  return `[${seconds.toFixed(6).padStart(12)}] ${message}`;
}
