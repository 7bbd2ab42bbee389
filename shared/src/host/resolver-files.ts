/** The two files that say how this host finds names: hosts(5) and resolv.conf(5). Both are public; a file that is missing is empty. */
import { isIP } from 'node:net';
import { readAttribute } from './procfs.ts';

/** Where resolv.conf(5) says to ask when it names nobody. */
const LOCAL_SERVER = '127.0.0.1';

/** Addresses by lower-case name, in the order of /etc/hosts. */
export type HostsFile = ReadonlyMap<string, readonly string[]>;

export async function readHosts(root: string): Promise<HostsFile> {
  const hosts = new Map<string, string[]>();
  for (const line of ((await readAttribute(root, '/etc/hosts')) ?? '').split('\n')) {
    const [address = '', ...names] = fieldsOf(line);
    if (isIP(address) === 0) continue;
    for (const name of new Set(names.map((written) => written.toLowerCase()))) {
      hosts.set(name, [...(hosts.get(name) ?? []), address]);
    }
  }
  return hosts;
}

/** Name servers in the order of /etc/resolv.conf; `[address]:port` is understood too. */
export async function readNameservers(root: string): Promise<readonly string[]> {
  const servers: string[] = [];
  for (const line of ((await readAttribute(root, '/etc/resolv.conf')) ?? '').split('\n')) {
    const [keyword, server = ''] = fieldsOf(line);
    const address = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(server)?.[1] ?? server;
    if (keyword === 'nameserver' && isIP(address) !== 0) servers.push(server);
  }
  return servers.length === 0 ? [LOCAL_SERVER] : servers;
}

function fieldsOf(line: string): string[] {
  return line
    .replace(/[#;].*$/, '')
    .split(/\s+/)
    .filter((field) => field !== '');
}
