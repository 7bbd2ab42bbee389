/** Catalogue entry: words and text of system/os-release. */
import { systemOsRelease } from '@steward/shared/ops/system/os-release.ts';
import { tool } from '../tool.ts';

export const osReleaseTool = tool({
  name: 'system/os-release',
  title: 'OS and kernel version',
  description: 'Operating system release and kernel version. Text or JSON {os_release, kernel}. Packages: system/packages.',
  op: systemOsRelease,
  formats: true,
  human: false,
  text: ({ result: { os_release, kernel } }) => ({
    text: `OS Release Info:\n${os_release.replace(/\n*$/, '')}\n\nKernel Info: ${kernel}`,
  }),
});
