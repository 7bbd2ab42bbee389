/** Space and inodes of the one file system that holds an object, by statfs(2). Changes nothing. */
import { statfs, type BigIntStatsFs } from 'node:fs';
import { promisify } from 'node:util';
import { systemError } from '../../errors.ts';
import { heldPath } from '../../host/descriptors.ts';
import type { Static } from '../../schema.ts';
import { objectOf, subjectOf } from '../files/common.ts';
import { operation } from '../operation.ts';

const args = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'absolute path' },
    inodes: { type: 'boolean', description: 'inode counts, text only' },
  },
  required: ['path'],
  additionalProperties: false,
} as const;

const amount = { type: 'integer', minimum: 0 } as const;
const result = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    total_bytes: amount,
    used_bytes: amount,
    /** What ordinary accounts may still use. */
    free_bytes: amount,
    use_percent: { type: 'number', minimum: 0 },
    /** Only when inodes were asked for. */
    inodes: {
      type: 'object',
      properties: { total: amount, used: amount, free: amount },
      required: ['total', 'used', 'free'],
      additionalProperties: false,
    },
  },
  required: ['path', 'total_bytes', 'used_bytes', 'free_bytes', 'use_percent'],
  additionalProperties: false,
} as const;
export type DiskFree = Static<typeof result>;

export const disksFree = operation<Static<typeof args>, DiskFree>({
  name: 'disks/free',
  args,
  kind: 'value',
  result,
  path: { need: 'object', lastLink: 'follow', use: 'read', failure: 'stat_filesystem' },
  where: 'loop',
  async run({ inodes }, context) {
    const subject = subjectOf(context);
    const { fd } = objectOf(subject, 'stat_filesystem');
    try {
      // A network file system may take its time: in a thread, not on the event loop.
      const status = await promisify(statfs)(heldPath(fd), { bigint: true });
      return { path: subject.path, ...spaceOf(status), ...(inodes === true ? { inodes: inodesOf(status) } : {}) };
    } catch (error) {
      throw systemError('stat_filesystem', { path: subject.path }, error);
    }
  },
});

/** What is kept for root counts as used: nobody else can have it. */
export function spaceOf(status: BigIntStatsFs): Omit<DiskFree, 'path' | 'inodes'> {
  const used = status.blocks - status.bavail;
  const unit = status.frsize;
  return {
    total_bytes: Number(status.blocks * unit),
    used_bytes: Number(used * unit),
    free_bytes: Number(status.bavail * unit),
    use_percent: status.blocks === 0n ? 0 : Math.round((Number(used) / Number(status.blocks)) * 1000) / 10,
  };
}

function inodesOf({ files, ffree }: BigIntStatsFs): NonNullable<DiskFree['inodes']> {
  return { total: Number(files), used: Number(files - ffree), free: Number(ffree) };
}
