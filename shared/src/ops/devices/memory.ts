/** Behind `devices://dmi` too: the memory slots, from a table that the kernel shows to root alone. */
import { readMemoryDevices, type MemoryDevice } from '../../host/hardware/memory-devices.ts';
import { NOTHING } from '../../schema.ts';
import { operation } from '../operation.ts';

/** `smbios`, or `not_available` where there is no such table or it cannot be made sense of. */
export interface MemorySlots {
  readonly memory_source: 'smbios' | 'not_available';
  readonly memory_devices: readonly MemoryDevice[];
}

const text = { type: 'string' } as const;
const number = { type: 'integer', minimum: 0 } as const;

export const devicesMemory = operation<Record<never, never>, MemorySlots>({
  name: 'resource/memory-devices',
  args: NOTHING,
  kind: 'value',
  result: {
    type: 'object',
    properties: {
      memory_source: { type: 'string', enum: ['smbios', 'not_available'] },
      memory_devices: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            ...{ handle: number, locator: text, bank_locator: text, populated: { type: 'boolean' }, size_bytes: number },
            ...{ form_factor: text, type: text, type_detail: { type: 'array', items: text } },
            ...{ total_width_bits: number, data_width_bits: number, speed_mts: number, configured_speed_mts: number },
            ...{ rank: number, min_voltage_mv: number, max_voltage_mv: number, configured_voltage_mv: number },
            ...{ technology: text, manufacturer: text, serial_number: text, asset_tag: text, part_number: text },
          },
          required: ['handle'],
          additionalProperties: false,
        },
      },
    },
    required: ['memory_source', 'memory_devices'],
    additionalProperties: false,
  },
  where: 'loop',
  async run(_args, context) {
    const memory_devices = await readMemoryDevices(context.root);
    if (memory_devices === undefined) return { memory_source: 'not_available', memory_devices: [] };
    return { memory_source: 'smbios', memory_devices };
  },
});
