/** Which distribution and which kernel run here. Public. */
import { readOsRelease, readUname } from '../../host/system.ts';
import { NOTHING, type Static } from '../../schema.ts';
import { operation } from '../operation.ts';

const result = {
  type: 'object',
  properties: {
    /** The file as it is. */
    os_release: { type: 'string' },
    /** The five words of uname(2), as uname(1) writes them. */
    kernel: { type: 'string' },
  },
  required: ['os_release', 'kernel'],
  additionalProperties: false,
} as const;

export const systemOsRelease = operation<Record<never, never>, Static<typeof result>>({
  name: 'system/os-release',
  args: NOTHING,
  kind: 'value',
  result,
  where: 'loop',
  async run(_args, { root }) {
    const os_release = await readOsRelease(root);
    const { sysname, nodename, release, version, machine } = await readUname(root);
    return { os_release, kernel: [sysname, nodename, release, version, machine].join(' ') };
  },
});
