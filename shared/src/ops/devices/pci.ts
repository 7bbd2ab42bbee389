/** Behind `devices://pci`: the functions of the PCI devices. Public. */
import { readPci, type PciDevice } from '../../host/hardware/buses.ts';
import { NOTHING } from '../../schema.ts';
import { operation } from '../operation.ts';

const text = { type: 'string' } as const;

export const devicesPci = operation<Record<never, never>, PciDevice[]>({
  name: 'resource/pci',
  args: NOTHING,
  kind: 'value',
  result: {
    type: 'array',
    items: {
      type: 'object',
      properties: { slot: text, vendor_id: text, device_id: text, class: text },
      required: ['slot', 'vendor_id', 'device_id', 'class'],
      additionalProperties: false,
    },
  },
  where: 'loop',
  run: (_args, context) => readPci(context.root),
});
