/**
 * What any call of the broker reaches besides what its row says: the runtime, the accounts, the guard's look at mounts, the record.
 * Part of the allowlist's document; a test under strace(1) holds the broker to it.
 */

/** Paths as in rows. Words without a slash at their beginning are keys of the configuration, or said in the document. */
export const EVERY_CALL = {
  reads: [
    // The guard: how things are mounted, and the protected objects themselves, whose inodes it compares.
    '/proc/self/{mountinfo,fd,fdinfo,stat}',
    'protected directories',
    // Names of accounts in grants and results.
    '/etc/{passwd,group}',
    // The runtime: code that is loaded when it is first needed, and how much memory and how many processors threads may use.
    'program directory',
    '/dev/{null,urandom}',
    '/proc/{self/cgroup,meminfo}',
    // The C library's allocator, when it gives memory back.
    '/proc/sys/vm/overcommit_memory',
    '/sys/{fs/cgroup,devices/system/cpu}',
  ],
  writes: ['audit.directory', 'state directory', '/dev/null', '/var/tmp/.steward-<random>', '/tmp/.steward-<random>'],
  /** Where the journal takes the seals of the audit log. */
  sockets: ['/run/systemd/journal/<stream>'],
  /** Libraries, locales and the like: what a program of a row reads before it does anything. */
  programReads: [
    '/etc/{ld.so.cache,ld.so.preload,locale.alias,nsswitch.conf,passwd,group,localtime,machine-id}',
    '/usr/{lib,lib64,share/locale,share/zoneinfo}',
    '/proc/{self,1,cmdline,filesystems,sys}',
    '/{etc,run,usr/lib}/userdb',
  ],
  /** Where the C library asks for names of accounts. */
  programSockets: ['/var/run/nscd/socket', '/run/systemd/userdb/<service>'],
} as const;
