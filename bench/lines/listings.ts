/** Long listings: a directory, the packages, the journal. */
import { findOrMakeJournal } from '../lib/journal.ts';
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

const journal: Line = {
  name: 'journal',
  prepare: async (bench) => {
    const { why, note, close } = findOrMakeJournal();
    if (why !== undefined) return { why };
    const args = { lines: 10_000, privileged: true };
    const client = await bench.client();
    const answer = await client.call('logs/journal-control', args).catch((error: unknown) => {
      close();
      throw error;
    });
    const ours = await bench.call('logs/journal-control', args);
    const theirs = program('journalctl', ['-n', '10000', '--no-pager'], { privileged: true });
    return { contestants: [ours, theirs], note: `${answer.text.split('\n').length} lines${note}`, close };
  },
};

export const lines = [list, packages, journal];
