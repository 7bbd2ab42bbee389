/** Device numbers as stat(2) gives them. Pure. */

/** makedev(3) of glibc. */
export function makeDevice(major: bigint, minor: bigint): bigint {
  const low = (minor & 0xffn) | ((major & 0xfffn) << 8n);
  return low | ((minor & ~0xffn) << 12n) | ((major & ~0xfffn) << 32n);
}

/**
 * Whether a number (st_dev) is one that the kernel made up for a file system without a device of its own: major 0. Those of procfs,
 * sysfs and their like always are.
 */
export function isMadeUp(device: number): boolean {
  return (device & 0xfff00) === 0 && device < 2 ** 44;
}
