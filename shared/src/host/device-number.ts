/** Device numbers as stat(2) gives them. Pure. */

/** makedev(3) of glibc. */
export function makeDevice(major: bigint, minor: bigint): bigint {
  const low = (minor & 0xffn) | ((major & 0xfffn) << 8n);
  return low | ((minor & ~0xffn) << 12n) | ((major & ~0xfffn) << 32n);
}
