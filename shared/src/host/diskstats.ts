/** Counters of block devices since boot: /proc/diskstats (Documentation/admin-guide/iostats.rst of the kernel). Reads one public file. */
import { readSystem } from './procfs.ts';

/** Columns behind the device's name, in the kernel's order; sectors of 512 bytes, times in milliseconds. */
export const DISK_COUNTERS = [
  'reads_completed',
  'reads_merged',
  'sectors_read',
  'time_reading_ms',
  'writes_completed',
  'writes_merged',
  'sectors_written',
  'time_writing_ms',
  'ios_in_progress',
  'time_doing_ios_ms',
  'weighted_time_ios_ms',
] as const;
export type DiskCounter = (typeof DISK_COUNTERS)[number];

export type DiskStats = { readonly major: number; readonly minor: number; readonly device_name: string } & Readonly<
  Record<DiskCounter, number>
>;

/** All devices in the kernel's order. Throws `read_system`. */
export async function readDiskStats(root: string): Promise<DiskStats[]> {
  return parseDiskStats(await readSystem(root, '/proc/diskstats'));
}

/** Newer kernels add columns (discards, flushes); lines with fewer than these are left out. */
export function parseDiskStats(text: string): DiskStats[] {
  return text.split('\n').flatMap((line) => {
    const [major, minor, device_name, ...values] = line.trim().split(/\s+/);
    if (device_name === undefined || values.length < DISK_COUNTERS.length) return [];
    const counters = Object.fromEntries(DISK_COUNTERS.map((name, index) => [name, Number(values[index])]));
    return [{ major: Number(major), minor: Number(minor), device_name, ...(counters as Record<DiskCounter, number>) }];
  });
}
