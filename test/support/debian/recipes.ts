/**
 * What the Debian systems of the host and the machine tests consist of. A recipe is data: everything that decides what comes out
 * of a build is in it, so that its digest names the build in the cache. Test only.
 */
import { createHash } from 'node:crypto';

export interface Recipe {
  readonly name: string;
  /** Debian release. */
  readonly suite: string;
  /** Packages beside the essential ones and those needed by these. */
  readonly packages: readonly string[];
  /** Absolute path to content, there before the packages are installed; what begins with `#!` is executable. */
  readonly files: Readonly<Record<string, string>>;
  /** Shell lines for mmdebstrap's --customize-hook, run outside with the new root as $1. */
  readonly hooks: readonly string[];
}

/** A hanging service does not hold up the end of a test; starting may take long where others are busy too. */
const PATIENT_STARTS = '[Manager]\nDefaultTimeoutStartSec=300s\nDefaultDeviceTimeoutSec=300s\nDefaultTimeoutStopSec=5s\n';
/** Documentation is not needed and makes half of the files. */
export const LEFT_OUT = '/usr/share/{doc,man,locale,info}/*';

/** The frontend's account, as the package would make it. */
const STEWARD = 'chroot "$1" useradd --system --user-group --no-create-home --home-dir=/ --shell=/usr/sbin/nologin steward';

/** Booted in a container: real systemd, journal, cron and packages on this machine's own kernel. */
export const HOST: Recipe = {
  name: 'host',
  suite: 'bookworm',
  packages: [
    ...['systemd', 'systemd-sysv', 'dbus', 'udev', 'cron', 'login', 'passwd', 'util-linux', 'procps', 'iproute2'],
    ...['libstdc++6', 'ca-certificates', 'logrotate', 'traceroute'],
  ],
  files: {
    '/etc/hostname': 'steward-host\n',
    '/etc/systemd/system.conf.d/test.conf': PATIENT_STARTS,
  },
  hooks: [STEWARD],
};

/** Nothing of ours and little else, with documentation: what the package is installed on. */
const bare = (name: string, suite: string): Recipe => ({
  name,
  suite,
  packages: [
    ...['systemd', 'systemd-sysv', 'dbus', 'udev', 'cron', 'procps', 'iproute2', 'libstdc++6', 'init-system-helpers'],
    ...['util-linux', 'login', 'passwd'],
  ],
  files: {
    '/etc/hostname': `${name}\n`,
    '/etc/systemd/system.conf.d/test.conf': PATIENT_STARTS,
  },
  hooks: ['rm -f "$1"/etc/dpkg/dpkg.cfg.d/99mmdebstrap'],
});

export const DEBIAN_12 = bare('debian12', 'bookworm');
export const DEBIAN_13 = bare('debian13', 'trixie');

/** The initial file system holds what mounts the root and no more: the boot is emulated, every megabyte is seen. */
const SMALL_INITRD = `#!/bin/sh
[ "$1" = prereqs ] && exit 0
. /usr/share/initramfs-tools/hook-functions
manual_add_modules virtio_pci virtio_blk ext4
`;
/** Runs the commands that the tests compare with; see test/support/machine/agent.mjs. */
const AGENT_UNIT = `[Unit]
Description=Runs the commands of the test
RequiresMountsFor=/opt
[Service]
ExecStart=/opt/runtime/node /opt/test/agent.mjs
Restart=always
[Install]
WantedBy=multi-user.target
`;

/** Booted in a virtual machine with a kernel and devices of its own. */
export const MACHINE: Recipe = {
  name: 'machine',
  suite: 'bookworm',
  packages: [
    ...['systemd', 'systemd-sysv', 'dbus', 'udev', 'kmod', 'linux-image-amd64', 'initramfs-tools', 'cron', 'passwd'],
    ...['util-linux', 'procps', 'iproute2', 'libstdc++6', 'smartmontools', 'dmidecode', 'usbutils', 'pciutils', 'fdisk'],
  ],
  files: {
    '/etc/hostname': 'steward-machine\n',
    '/etc/fstab': '/dev/vda / ext4 defaults 0 0\nLABEL=build /opt ext4 ro 0 0\n',
    '/etc/systemd/system.conf.d/test.conf': PATIENT_STARTS,
    '/etc/systemd/system/test-agent.service': AGENT_UNIT,
    '/etc/initramfs-tools/conf.d/small': 'MODULES=list\nCOMPRESS=gzip\n',
    '/etc/initramfs-tools/hooks/small': SMALL_INITRD,
  },
  hooks: [
    STEWARD,
    'systemctl --root="$1" enable test-agent.service',
    // An emulated boot has no time for what no test looks at.
    'systemctl --root="$1" mask e2scrub_reap.service e2scrub_all.timer smartmontools.service getty@.service serial-getty@.service',
    // The journal outlives a restart of the machine.
    'mkdir -p "$1/var/log/journal"',
  ],
};

export const RECIPES: readonly Recipe[] = [HOST, MACHINE, DEBIAN_12, DEBIAN_13];

/** Names one build in the cache. */
export function keyOf(recipe: Recipe): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([recipe, LEFT_OUT]))
    .digest('hex');
  return `${recipe.name}-${recipe.suite}-${digest.slice(0, 12)}`;
}
