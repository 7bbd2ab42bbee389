/** Modules of the running kernel as a resource. Public: read here, never as root. */
import { kernelModules } from '@steward/shared/ops/devices/modules.ts';
import { jsonText } from '../render/json.ts';
import type { FixedResource } from './resource.ts';

const JSON_TYPE = 'application/json';

const modules: FixedResource = {
  uri: 'kernel://modules',
  name: 'Kernel Modules',
  description: 'Loaded kernel modules with size, users and state.',
  mimeType: JSON_TYPE,
  group: 'kernel',
  verb: 'modules',
  async read(context) {
    return { mimeType: JSON_TYPE, text: jsonText((await context.runLocal(kernelModules, {})).result) };
  },
};

export const MODULE_RESOURCES: readonly FixedResource[] = [modules];
