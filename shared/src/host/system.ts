/** Who this host is: names and versions from procfs and the os-release file (os-release(5)). Reads public files only. */
import { machine } from 'node:os';
import { errnoOf, systemError } from '../errors.ts';
import { readSystem, readText } from './procfs.ts';

/** As uname(2) gives it. */
export interface Uname {
  readonly sysname: string;
  readonly nodename: string;
  readonly release: string;
  readonly version: string;
  readonly machine: string;
}

async function kernelWord(root: string, name: string): Promise<string> {
  return (await readSystem(root, `/proc/sys/kernel/${name}`)).replace(/\n$/, '');
}

/** Throws `read_system`. */
export async function readUname(root: string): Promise<Uname> {
  return {
    sysname: await kernelWord(root, 'ostype'),
    nodename: await kernelWord(root, 'hostname'),
    release: await kernelWord(root, 'osrelease'),
    version: await kernelWord(root, 'version'),
    machine: machine(),
  };
}

/** The name the kernel has, without a final newline. Throws `read_system`. */
export function readHostname(root: string): Promise<string> {
  return kernelWord(root, 'hostname');
}

/** The os-release file as it is; the vendor's copy where /etc has none. Throws `read_os_release`. */
export async function readOsRelease(root: string): Promise<string> {
  try {
    return await readText(root, '/etc/os-release').catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error;
      return readText(root, '/usr/lib/os-release');
    });
  } catch (error) {
    throw systemError('read_os_release', {}, error);
  }
}
