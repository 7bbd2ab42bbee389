/** Behind `devices://usb`: the devices on the USB buses. Public. */
import { readUsb, type UsbDevice } from '../../host/hardware/buses.ts';
import { NOTHING } from '../../schema.ts';
import { operation } from '../operation.ts';

const text = { type: 'string' } as const;

export const devicesUsb = operation<Record<never, never>, UsbDevice[]>({
  name: 'resource/usb',
  args: NOTHING,
  kind: 'value',
  result: {
    type: 'array',
    items: {
      type: 'object',
      properties: { bus_id: text, vendor_id: text, product_id: text, manufacturer: text, product: text },
      required: ['bus_id', 'vendor_id', 'product_id', 'manufacturer', 'product'],
      additionalProperties: false,
    },
  },
  where: 'loop',
  run: (_args, context) => readUsb(context.root),
});
