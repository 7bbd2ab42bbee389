/** The fixed resources that say which host this is. All public: read here, never as root. */
import { systemHostname } from '@steward/shared/ops/system/hostname.ts';
import { systemRelease } from '@steward/shared/ops/system/release.ts';
import { systemUname } from '@steward/shared/ops/system/uname.ts';
import type { FixedResource } from './resource.ts';

const PLAIN = 'text/plain';

export const uname: FixedResource = {
  uri: 'os://uname',
  name: 'OS Uname',
  description: 'Kernel name, host name, kernel release and version, machine.',
  mimeType: PLAIN,
  group: 'system',
  verb: 'uname',
  async read(context) {
    const { result } = await context.runLocal(systemUname, {});
    const { sysname, nodename, release, version, machine } = result;
    const lines = { Sysname: sysname, Nodename: nodename, Release: release, Version: version, Machine: machine };
    const text = Object.entries(lines).map(([label, value]) => `${label}: ${value}`);
    return { mimeType: PLAIN, text: text.join('\n') };
  },
};

export const release: FixedResource = {
  uri: 'os://release',
  name: 'OS Release',
  description: 'The os-release file of the distribution.',
  mimeType: PLAIN,
  group: 'system',
  verb: 'release',
  async read(context) {
    return { mimeType: PLAIN, text: (await context.runLocal(systemRelease, {})).result };
  },
};

export const hostname: FixedResource = {
  uri: 'system://hostname',
  name: 'System Hostname',
  description: 'The name of this host.',
  mimeType: PLAIN,
  group: 'system',
  verb: 'hostname',
  async read(context) {
    return { mimeType: PLAIN, text: (await context.runLocal(systemHostname, {})).result };
  },
};
