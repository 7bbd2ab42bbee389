/** Long listings: a directory, the packages, the journal. */
import { existsSync, readdirSync } from 'node:fs';
import type { Line } from '../lib/line.ts';
import { program, programPath } from '../lib/program.ts';
import { makeDirectory } from '../lib/tree.ts';

const list: Line = {
  name: 'list',
  prepare: async (bench) => {
    const { path, entries, close } = makeDirectory(100_000);
    const ours = await bench.call('files/list', { path });
    return { contestants: [ours, program('ls', ['-l', path])], note: `${entries} entries`, close };
  },
};

const packages: Line = {
  name: 'packages',
  prepare: async (bench) => {
    if (programPath('dpkg-query') === undefined) return { why: 'dpkg-query is not installed' };
    return { contestants: [await bench.call('system/packages'), program('dpkg-query', ['-W'])] };
  },
};

const JOURNALS = ['/var/log/journal', '/run/log/journal'];

const journal: Line = {
  name: 'journal',
  prepare: async (bench) => {
    const hasJournal = JOURNALS.some((path) => existsSync(path) && readdirSync(path).length > 0);
    if (!hasJournal) return { why: 'this machine has no journal' };
    const ours = await bench.call('logs/journal-control', { lines: 10_000, privileged: true });
    return { contestants: [ours, program('journalctl', ['-n', '10000', '--no-pager'], { privileged: true })] };
  },
};

export const lines = [list, packages, journal];
