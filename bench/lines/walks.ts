/** Walks over a large tree, beside find(1) and du(1). */
import type { Line } from '../lib/line.ts';
import { program } from '../lib/program.ts';
import { largeTree, sharedTree } from '../lib/tree.ts';

const ENTRIES = 100_000;
const MILLION = 1_000_000;

function find(privileged: boolean): Line {
  return {
    name: privileged ? 'find-name-as-root' : 'find-name',
    prepare: async (bench) => {
      const { path, entries, close } = await largeTree(ENTRIES);
      const ours = await bench.call('files/find', { path, name: '*.h', ...(privileged ? { privileged } : {}) });
      const peer = program('find', [path, '-name', '*.h'], { privileged, anyStatus: true });
      return { contestants: [ours, peer], note: `${entries} entries in ${path}`, close };
    },
  };
}

function usage(privileged: boolean): Line {
  return {
    name: privileged ? 'usage-as-root' : 'usage',
    prepare: async (bench) => {
      const { path, entries, close } = await largeTree(ENTRIES);
      const ours = await bench.call('disks/usage', { path, ...(privileged ? { privileged } : {}) });
      const peer = program('du', ['-s', path], { privileged, anyStatus: true });
      return { contestants: [ours, peer], note: `${entries} entries in ${path}`, close };
    },
  };
}

const findSize: Line = {
  name: 'find-size',
  prepare: async (bench) => {
    const { path, entries, close } = await largeTree(ENTRIES);
    const ours = await bench.call('files/find', { path, size: '+1M', type: 'f' });
    const peer = program('find', [path, '-type', 'f', '-size', '+1M'], { anyStatus: true });
    return { contestants: [ours, peer], note: `${entries} entries in ${path}`, close };
  },
};

const millionEntries: Line = {
  name: 'million-entries',
  onRequest: true,
  prepare: async (bench) => {
    const { path, entries } = await sharedTree(MILLION);
    const ours = await bench.call('files/find', { path, name: '*.wanted' });
    return {
      contestants: [ours, program('find', [path, '-name', '*.wanted'])],
      note: `${entries} entries, generated`,
      rounds: 5,
    };
  },
};

const millionFound: Line = {
  name: 'million-found',
  onRequest: true,
  prepare: async (bench) => {
    const { path, entries } = await sharedTree(MILLION);
    const ours = await bench.call('files/find', { path });
    return { contestants: [ours, program('find', [path])], note: `all of ${entries} entries told`, rounds: 5 };
  },
};

export const lines = [find(false), find(true), findSize, usage(false), usage(true), millionEntries, millionFound];
