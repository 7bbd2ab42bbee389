/** Arguments with which each tool has something to do on any host, for tests that go through all tools. Test only. */
import type { Args } from './every-call.ts';

export interface GoodPlace {
  /** A directory that everybody may write to; `file` and `other` lie in it. */
  readonly directory: string;
  /** A pid that may be signalled. */
  readonly pid: number;
  /** Port of loopback on which HTTP is spoken. */
  readonly port: number;
}

/** By name of the tool; the others need none. Containers are those of a fake engine. */
export function goodArguments({ directory, pid, port }: GoodPlace): Readonly<Record<string, Args>> {
  const path = directory;
  const file = `${directory}/file`;
  return {
    'files/list': { path },
    'files/read': { path: file },
    'files/create': { path: file, content: 'content\n' },
    'files/update': { path: file, content: 'more\n', start_line: 1, end_line: 1 },
    'files/find': { path },
    'files/filetype': { path: file },
    'files/chmod': { path: `${directory}/other`, mode: '0666' },
    'files/chown': { path: `${directory}/other`, owner: ':nogroup' },
    'disks/free': { path },
    'disks/usage': { path, all: true },
    'disks/health': { device: 'sda' },
    'processes/top': { interval_ms: 100 },
    'processes/delete': { pid, signal: 'SIGCONT' },
    'network/nslookup': { host: 'localhost', record_type: 'A' },
    'network/curl': { url: `http://127.0.0.1:${port}/`, method: 'POST', body: 'body' },
    'network/ping': { host: '127.0.0.1', port, timeout: 1 },
    'network/trace-path': { host: '127.0.0.1' },
    'services/manage': { service: 'steward-no-such-unit', action: 'restart' },
    'logs/journal-control': { lines: 1 },
    'kernel/system-control': { key: 'vm.overcommit_ratio' },
    'docker/manage': { container: 'web', action: 'start' },
    'docker/logs': { container: 'web' },
    'docker/exec': { container: 'web', command: ['id'] },
    'docker/prune': { target: 'images' },
    'cron/manage': { user: 'nobody', privileged: true },
  };
}
