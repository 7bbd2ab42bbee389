/**
 * The external programs that rows of the table may execute, with their argument templates: `<x>` is filled in, `a|b` is one of
 * several, `[x]` may be absent. They are started in no other way (shared/src/host/argument-template.ts).
 */
import type { ProgramUse } from '@steward/shared/catalogue/row.ts';

/** Keeps mode, owner, ACLs and extended attributes of a file that is edited; both files are descriptors, never names. */
export const COPY_ATTRIBUTES: readonly ProgramUse[] = [
  { name: 'cp', argv: ['--attributes-only', '--preserve=all', '--', '/proc/self/fd/3', '/proc/self/fd/4'] },
];

export const SMARTCTL: readonly ProgramUse[] = [{ name: 'smartctl', argv: ['-j', '-a', '--', '/dev/<device>'] }];

const CONTROL = ['--system', '--no-pager', '--no-ask-password'];

/** systemctl show, as reads of units use it. */
export function SHOW(unit: string, ...options: readonly string[]): readonly ProgramUse[] {
  return [{ name: 'systemctl', argv: ['--system', '--no-pager', ...options, 'show', '--property=<properties>', '--', unit] }];
}

/** services/manage. */
export const SYSTEMCTL: readonly ProgramUse[] = [
  { name: 'systemctl', argv: ['--system', '--no-pager', 'show', '--property=Id,LoadState,ActiveState,SubState', '--', '<unit>'] },
  { name: 'systemctl', argv: [...CONTROL, '[-T]', 'start|stop|restart|reload', '--', '<unit>'] },
  { name: 'systemctl', argv: [...CONTROL, '--no-reload', 'enable', '--force', '--', '<unit>'] },
  { name: 'systemctl', argv: [...CONTROL, '--no-reload', 'disable', '--', '<unit>'] },
];

export const JOURNALCTL: readonly ProgramUse[] = [
  {
    name: 'journalctl',
    argv: [
      ...['--system', '--no-pager', '--quiet', '--lines=<n>', '--output=short|json'],
      ...['[--unit=<unit>]', '[--since=<time>]', '[--until=<time>]', '[--boot=<n>]', '[--reverse]'],
    ],
  },
];

/** Reading, installing and removing a crontab, in this order. */
export const CRONTAB: readonly ProgramUse[] = [
  { name: 'crontab', argv: ['-u', '<account>', '-l'] },
  { name: 'crontab', argv: ['-u', '<account>', '-'] },
  { name: 'crontab', argv: ['-u', '<account>', '-r'] },
];
