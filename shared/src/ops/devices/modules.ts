/** Behind `kernel://modules`: the modules of the running kernel. Public. */
import { readModules, type KernelModule } from '../../host/modules.ts';
import { NOTHING } from '../../schema.ts';
import { operation } from '../operation.ts';

const text = { type: 'string' } as const;

export const kernelModules = operation<Record<never, never>, KernelModule[]>({
  name: 'resource/modules',
  args: NOTHING,
  kind: 'value',
  result: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        name: text,
        size: text,
        used_by_count: text,
        used_by: { anyOf: [{ type: 'array', items: text }, { type: 'null' }] },
        state: text,
        address: text,
      },
      required: ['name', 'size', 'used_by_count', 'used_by', 'state', 'address'],
      additionalProperties: false,
    },
  },
  where: 'loop',
  run: (_args, context) => readModules(context.root),
});
