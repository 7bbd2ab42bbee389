/** Reads the kernel's log from /dev/kmsg. With kernel.dmesg_restrict only CAP_SYSLOG may. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, systemError } from '../../errors.ts';
import { parseKernelLogRecord, type KernelLogRecord } from './record.ts';

const FILE = '/dev/kmsg';
/** The longest record there is. */
const RECORD_BYTES = 8192;

/** Reads one record into the buffer and returns its length; throws EAGAIN behind the newest one. */
export type ReadRecord = (buffer: Buffer) => number;

/** All records that the kernel still has, oldest first. Throws `kernel_log`. */
export function* readKernelLog(root: string): Generator<KernelLogRecord> {
  let fd: number;
  try {
    fd = openSync(join(root, FILE), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw systemError('kernel_log', {}, error);
  }
  try {
    yield* recordsOf((buffer) => readSync(fd, buffer, 0, buffer.length, null));
  } finally {
    closeSync(fd);
  }
}

/** What `read` gives, record by record. */
export function* recordsOf(read: ReadRecord): Generator<KernelLogRecord> {
  const buffer = Buffer.allocUnsafe(RECORD_BYTES);
  for (;;) {
    const length = readOne(read, buffer);
    if (length === 0) return;
    const record = length === undefined ? undefined : parseKernelLogRecord(buffer.toString('latin1', 0, length));
    if (record !== undefined) yield record;
  }
}

/** Length of the record, 0 when there are no more, undefined when one was overwritten before it could be read. */
function readOne(read: ReadRecord, buffer: Buffer): number | undefined {
  try {
    return read(buffer);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EAGAIN') return 0;
    if (errno === 'EPIPE') return undefined;
    throw systemError('kernel_log', {}, error);
  }
}
