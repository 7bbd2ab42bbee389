/** For unit tests alone: builds the records of wtmp and btmp (utmp(5)) in both sizes. */

export interface GivenRecord {
  readonly type: number;
  readonly pid?: number;
  readonly line?: string;
  readonly user?: string;
  readonly host?: string;
  /** Seconds since 1970. */
  readonly time: number;
}

/** One record: of 384 bytes, or of 400 with times of 64 bits. */
export function loginRecord(
  { type, pid = 0, line = '', user = '', host = '', time }: GivenRecord,
  size: 384 | 400 = 384,
): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeInt16LE(type, 0);
  bytes.writeInt32LE(pid, 4);
  bytes.write(line, 8, 32);
  bytes.write(line.slice(-4), 40, 4);
  bytes.write(user, 44, 32);
  bytes.write(host, 76, 256);
  if (size === 384) bytes.writeUInt32LE(time, 340);
  else bytes.writeBigInt64LE(BigInt(time), 344);
  return bytes;
}

const USER = 7;
const DEAD = 8;

export function login(line: string, user: string, host: string, time: number): GivenRecord {
  return { type: USER, pid: 4711, line, user, host, time };
}

export function logout(line: string, time: number): GivenRecord {
  return { type: DEAD, pid: 4711, line, time };
}

export function boot(kernel: string, time: number): GivenRecord {
  return { type: 2, line: '~', user: 'reboot', host: kernel, time };
}

/** As systemd writes it. */
export function shutdown(kernel: string, time: number): GivenRecord {
  return { type: 1, line: '~', user: 'shutdown', host: kernel, time };
}

/** A change of runlevel to `level`. */
export function runLevel(level: string, kernel: string, time: number): GivenRecord {
  return { type: 1, pid: level.charCodeAt(0), line: '~', user: 'runlevel', host: kernel, time };
}

export function fileOf(records: readonly GivenRecord[], size: 384 | 400 = 384): Buffer {
  return Buffer.concat(records.map((record) => loginRecord(record, size)));
}
