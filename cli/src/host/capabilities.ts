/** Linux capabilities by number, as the sets in /proc/PID/status hold them (linux/capability.h, capabilities(7)). */

/** Names without CAP_; the index is the number. */
const NAMES = [
  ...['CHOWN', 'DAC_OVERRIDE', 'DAC_READ_SEARCH', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID', 'SETPCAP'],
  ...['LINUX_IMMUTABLE', 'NET_BIND_SERVICE', 'NET_BROADCAST', 'NET_ADMIN', 'NET_RAW', 'IPC_LOCK', 'IPC_OWNER'],
  ...['SYS_MODULE', 'SYS_RAWIO', 'SYS_CHROOT', 'SYS_PTRACE', 'SYS_PACCT', 'SYS_ADMIN', 'SYS_BOOT', 'SYS_NICE'],
  ...['SYS_RESOURCE', 'SYS_TIME', 'SYS_TTY_CONFIG', 'MKNOD', 'LEASE', 'AUDIT_WRITE', 'AUDIT_CONTROL', 'SETFCAP'],
  ...['MAC_OVERRIDE', 'MAC_ADMIN', 'SYSLOG', 'WAKE_ALARM', 'BLOCK_SUSPEND', 'AUDIT_READ', 'PERFMON', 'BPF'],
  'CHECKPOINT_RESTORE',
];

/** The names in a set; a number that has no name yet is named by itself. */
export function capabilityNames(set: bigint): string[] {
  const numbers = Array.from({ length: 64 }, (_, number) => number).filter((number) => ((set >> BigInt(number)) & 1n) === 1n);
  return numbers.map((number) => NAMES[number] ?? `number ${number}`);
}
